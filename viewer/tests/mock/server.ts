// A stand-in for the program: serves the built page and speaks the wire format with made-up data.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Request, Settings } from '../../src/wire/messages';
import { encodeMessage, encodeReport, withUnknownParts } from './encode';
import { framesMessage, type Moved, sceneHeader, stepsMessage, type World } from './worlds';

export const pagePath = fileURLToPath(new URL('../../dist/index.html', import.meta.url));

export interface MockOptions {
  world: World;
  mode?: 'recording' | 'live';
  frames?: number;
  runs?: number;
  port?: number;
  session?: string;
  /** steps from one that is not certified to the next */
  uncertifiedEvery?: number;
  /** messages of a later version, with parts that this page does not know */
  later?: boolean;
}

export interface Mock {
  address: string;
  port: number;
  received: Request[];
  close(): Promise<void>;
}

const reason = (step: number) => ({ step, reason: 'The iteration limit was reached with residual 3.0e-6; two contacts of card_7 slip in turns.' });

function reasons(steps: number, every = 1700) {
  return Array.from({ length: Math.floor(steps / every) }, (_, i) => reason(every * (i + 1)));
}

/** Some of what the program refuses, in its words. */
function refusal(settings: Settings): { field: string; message: string } | null {
  const { tolerance, gravity, speed } = settings;
  if (tolerance !== undefined && !(tolerance > 0 && tolerance < 1)) return { field: 'tolerance', message: `tolerance = ${tolerance}: must be in (0, 1)` };
  const far = gravity?.findIndex((g) => Math.abs(g) > 1e13) ?? -1;
  if (far >= 0) return { field: 'gravity', message: `gravity[${far}] = ${gravity![far]} m/s²: must be at most 1e+13 m/s² in size` };
  if (speed === 0.1) return { field: 'speed', message: 'speed = 0.1: is refused by this stand-in' };
  return null;
}

/** As strict as the program's: the page must do with it. */
function policy(page: string): string {
  const scripts = [...page.matchAll(/<script\b[^>]*>([^]*?)<\/script>/gi)];
  const hashes = scripts.map((m) => `'sha256-${createHash('sha256').update(m[1]!).digest('base64')}'`);
  return `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'`;
}

export async function startMock(options: MockOptions): Promise<Mock> {
  const { world, mode = 'recording', frames = 600, runs = 1, session = String(Math.random()), uncertifiedEvery } = options;
  const steps = Math.round(((frames - 1) / 60) * 1000);
  const received: Request[] = [];
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/?') && request.url !== '/') {
      response.writeHead(404).end();
      return;
    }
    const page = readFileSync(pagePath, 'utf8');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy(page) }).end(page);
  });
  const sockets = new WebSocketServer({ server, path: '/socket', perMessageDeflate: false });
  const live = { paused: false, solver: 'staggered-projections', tolerance: 1e-8, step: 0.001, gravity: [0, 0, -9.81], mu: null as number | null, speed: 1, dragging: null as number | null };
  let frame = 0;
  const moved: Moved = new Map();
  let target: number[] | null = null;
  let node: number | undefined;

  const sendState = (socket: WebSocket) => socket.send(encodeMessage({ type: 'state', ...live, simulated: frame / 60, ratio: live.paused ? 0 : 0.98 }));
  const sendScene = (socket: WebSocket) => socket.send(encodeMessage(sceneHeader(world, mode, mode === 'live' ? 0 : frames, mode === 'live' ? 0 : steps, session, runs)));
  const broadcast = (send: (socket: WebSocket) => void) => sockets.clients.forEach((s) => s.readyState === 1 && send(s));

  const advance = () => {
    const from = Math.round((frame * 1000) / 60);
    frame += 1;
    const to = Math.round((frame * 1000) / 60);
    if (live.dragging !== null && target) {
      const name = node === undefined ? `${live.dragging}` : `${live.dragging}/${node}`;
      const p = moved.get(name) ?? (node === undefined ? world.home[live.dragging]!.position : world.nodes![live.dragging]![node]!);
      moved.set(name, p.map((v, i) => v + 0.3 * (target![i]! - v)));
    }
    for (let run = 0; run < runs; ++run) {
      const message = framesMessage(world, frame, 1, true, run, moved);
      const rows = stepsMessage(from, to - from, 1, Infinity, run, uncertifiedEvery);
      broadcast((s) => {
        s.send(message);
        s.send(rows);
      });
    }
    if (frame % 15 === 0) broadcast(sendState);
  };

  const answer = (socket: WebSocket, request: Request) => {
    switch (request.type) {
      case 'get_frames': {
        // Answers are bounded, as the program's are.
        const fewer = Math.max(1, Math.min(request.count, 600, Math.floor(2e6 / (world.bodies.length * 110 + (world.nodes?.flat().length ?? 0) * 12 + (request.contacts ? world.contacts.length * 80 : 0)))));
        socket.send(framesMessage(world, request.first, Math.min(fewer, frames - request.first), request.contacts, request.run));
        break;
      }
      case 'get_steps':
        socket.send(stepsMessage(request.first, request.count, request.stride, steps, request.run, uncertifiedEvery));
        break;
      case 'get_reasons':
        socket.send(encodeMessage({ type: 'reasons', run: request.run, reasons: reasons(mode === 'live' ? frame * 17 : steps, uncertifiedEvery) }));
        break;
      case 'get_track': {
        const times = Array.from({ length: Math.ceil(frames / request.stride) }, (_, i) => (i * request.stride) / 60);
        const { position } = world.home[request.body]!;
        const at = times.map((t) => (request.body > 0 && world.motion ? world.motion(request.body, t, position) : position));
        socket.send(encodeMessage({ type: 'track', run: request.run, body: request.body, stride: request.stride }, {
          'frames/time': { data: Float64Array.from(times), shape: [times.length] },
          'frames/position': { data: Float64Array.from(at.flat()), shape: [times.length, 3] },
        }));
        break;
      }
      case 'control':
        if (request.action === 'pause') live.paused = true;
        if (request.action === 'resume') live.paused = false;
        if (request.action === 'step') {
          live.paused = true;
          advance();
        }
        if (request.action === 'reset') {
          frame = 0;
          moved.clear();
          broadcast(sendScene);
          broadcast((s) => s.send(framesMessage(world, 0, 1, true)));
        }
        broadcast(sendState);
        break;
      case 'set': {
        const refused = refusal(request);
        if (refused) {
          socket.send(encodeMessage({ type: 'error', ...refused }));
          break;
        }
        const changes: Partial<typeof request> = { ...request };
        delete changes.type;
        delete changes.run;
        Object.assign(live, changes);
        broadcast(sendState);
        break;
      }
      case 'drag':
        if ((request.node === undefined) !== !world.bodies[request.body]!.nodes) {
          socket.send(encodeMessage({ type: 'error', message: `node ${request.node}: body ${request.body} has ${world.bodies[request.body]!.nodes ?? 0}` }));
          break;
        }
        live.dragging = request.body;
        node = request.node;
        target = request.target;
        break;
      case 'release':
        live.dragging = null;
        broadcast(sendState);
        break;
      case 'shoot': {
        const box = { ...world.bodies[1]!, name: `shot_${world.bodies.length}`, shapes: [{ type: 'box' as const, half_extents: [request.size / 2, request.size / 2, request.size / 2] as [number, number, number], material: 'shot', position: [0, 0, 0] as [number, number, number], orientation: [1, 0, 0, 0] as [number, number, number, number] }] };
        world.bodies.push(box);
        world.home.push({ position: request.position, orientation: [1, 0, 0, 0] });
        broadcast(sendScene);
        break;
      }
    }
  };

  sockets.on('connection', (socket) => {
    if (options.later) {
      const send = socket.send.bind(socket) as (message: Buffer) => void;
      socket.send = (message: Buffer) => send(withUnknownParts(message));
      socket.send(encodeMessage({ type: 'unknown' }));
    }
    sendScene(socket);
    if (mode === 'live') {
      sendState(socket);
      socket.send(framesMessage(world, frame, 1, true, 0, moved));
    }
    socket.on('message', (data) => {
      const request = JSON.parse((data as Buffer).toString()) as Request;
      received.push(request);
      answer(socket, request);
    });
  });
  const timer = mode === 'live' ? setInterval(() => !live.paused && advance(), 1000 / 60) : undefined;
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/?token=mock`,
    port,
    received,
    close: () =>
      new Promise((done) => {
        clearInterval(timer);
        sockets.clients.forEach((s) => s.terminate());
        sockets.close();
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** A self-contained report of a made-up run. */
export function mockReport(world: World, frames: number): string {
  const steps = Math.round(((frames - 1) / 60) * 1000);
  const messages = [
    encodeMessage(sceneHeader(world, 'report', frames, steps, 'report')),
    stepsMessage(0, steps, 1, steps),
    framesMessage(world, 0, frames, true),
    encodeMessage({ type: 'reasons', reasons: reasons(steps) }),
  ];
  return readFileSync(pagePath, 'utf8').replace('<!-- cardhouse-report -->', () => encodeReport(messages));
}
