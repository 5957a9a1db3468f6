import type { App } from './app/app';
import type { BodyColouring } from './scene3d/bodies_layer';
import type { ViewDirection } from './scene3d/camera_rig';
import { type ContactMark, contactMarks } from './scene3d/contacts_layer';

export interface ShowOptions {
  /** s */
  time?: number;
  theme?: 'light' | 'dark';
  /** only the 3-D view, without the page around it */
  bare?: boolean;
  contacts?: ContactMark[];
  colour?: BodyColouring;
  look?: ViewDirection;
  /** frames what is there at that time, or in the whole run */
  fit?: 'now' | 'run';
}

/**
 * `window.cardhouse`: what tests read and do. `show` answers when the picture is drawn; the same options can stand in the
 * address after '#' (docs/wire-format.md, "Address of the page"), as in `#time=1.5&bare=1&contacts=1&theme=dark`.
 */
export interface TestInterface {
  /** true once the first frame is on the screen */
  ready(): boolean;
  stats(): { pictures: number; mean: number; median: number; p95: number; perSecond: number; calls: number; triangles: number; contacts: number; joints: number };
  resetStats(): void;
  mode(): string | null;
  frame(): number;
  frameCount(): number;
  /** number of the step that led to the shown frame */
  step(): number;
  time(): number;
  playing(): boolean;
  steps(): number;
  uncertified(): number;
  selected(): number;
  /** of the selected body; -1 for none */
  selectedNode(): number;
  bodies(): string[];
  bodyPosition(body: number, run?: number): [number, number, number] | null;
  nodePosition(body: number, node: number, run?: number): [number, number, number] | null;
  /** where the body's centre is on the page, in CSS pixels */
  bodyOnScreen(body: number, run?: number): { x: number; y: number } | null;
  nodeOnScreen(body: number, node: number, run?: number): { x: number; y: number } | null;
  /** the body under a pixel of the page; -1 for none */
  bodyAt(x: number, y: number): number;
  seek(time: number): void;
  select(body: number): void;
  show(options: ShowOptions): Promise<void>;
  /** leaves a part out of the pictures, to prove that its absence is noticed */
  hide(part: 'bodies' | 'contacts' | 'joints' | 'ground'): void;
  following(): boolean;
}

declare global {
  interface Window {
    cardhouse: TestInterface;
  }
}

const nextPicture = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));

export function makeTestInterface(app: App): TestInterface {
  const self: TestInterface = {
    ready: () => app.session.runs.length > 0 && app.session.runs.every((r) => r.shown !== null),
    stats: () => ({ ...app.timer.stats(), ...app.stage.info(), contacts: app.stage.views[0]?.contacts.drawn() ?? 0, joints: app.stage.views[0]?.joints.drawn() ?? 0 }),
    resetStats: () => app.timer.reset(),
    mode: () => app.session.scene?.mode ?? null,
    frame: () => app.session.runs[0]?.shown?.index ?? -1,
    step: () => app.session.runs[0]?.shown?.step ?? -1,
    frameCount: () => app.session.runs[0]?.frames.count ?? 0,
    time: () => app.session.currentTime(),
    playing: () => (app.session.scene?.mode === 'live' ? app.session.state?.paused === false : app.session.playback.playing),
    steps: () => app.session.runs[0]?.steps.count ?? 0,
    uncertified: () => app.session.runs.reduce((n, r) => n + r.steps.uncertified.time.length, 0),
    selected: () => app.session.selected,
    selectedNode: () => app.session.selectedNode,
    bodies: () => app.session.scene?.bodies.map((b) => b.name) ?? [],
    bodyPosition: (body, run = 0) => app.session.bodyCentre(body, run)?.toArray() ?? null,
    nodePosition: (body, node, run = 0) => app.stage.views[run]?.bodies.place(body, node)?.toArray() ?? null,
    bodyOnScreen: (body, run = 0) => {
      const centre = app.session.bodyCentre(body, run);
      return centre ? app.stage.toPage(centre, run) : null;
    },
    nodeOnScreen: (body, node, run = 0) => {
      const at = app.stage.views[run]?.bodies.place(body, node);
      return at ? app.stage.toPage(at, run) : null;
    },
    bodyAt: (x, y) => app.stage.pick(x, y)?.body ?? -1,
    seek: (time) => app.transport.seek(time),
    select: (body) => app.selection.select(body),
    hide: (part) => app.stage.views.forEach((view) => view.hide(part)),
    following: () => app.session.following,
    show: async (options) => {
      while (!self.ready()) await nextPicture();
      applyOptions(app, options);
      await nextPicture();
      if (options.time !== undefined) {
        const { frames } = app.session.runs[0]!;
        const before = frames.indexAt(options.time);
        const last = frames.first + frames.count - 1;
        const after = Math.min(last, before + 1);
        const wanted = frames.timeAt(after) - options.time < options.time - frames.timeAt(before) ? after : before;
        app.transport.seekIndex(wanted);
        while (app.session.runs[0]!.shown?.index !== wanted) await nextPicture();
        // A frame may be here without its contacts, which are then still on their way.
        while (options.contacts?.length && app.session.runs[0]!.shown?.contacts === null) await nextPicture();
      }
      if (options.look) app.stage.rig.look(options.look);
      if (options.fit === 'run') app.fitRun();
      else if (options.fit || options.look) app.stage.fit();
      await nextPicture();
      app.stage.drawInFull();
      await nextPicture();
    },
  };
  return self;
}

function applyOptions(app: App, options: ShowOptions): void {
  if (options.theme) app.setTheme(options.theme);
  if (options.bare !== undefined) document.getElementById('app')!.classList.toggle('bare', options.bare);
  if (options.colour) app.session.display.bodyColouring = options.colour;
  if (options.contacts) for (const mark of contactMarks) app.session.display.marks[mark] = options.contacts.includes(mark);
  app.applyDisplay();
}

/** Options from the part of the address after '#'. */
export function optionsFromAddress(hash: string): ShowOptions {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const options: ShowOptions = {};
  const time = given.get('time');
  if (time !== null && Number.isFinite(Number(time))) options.time = Number(time);
  const theme = given.get('theme');
  if (theme === 'light' || theme === 'dark') options.theme = theme;
  if (given.has('bare')) options.bare = given.get('bare') !== '0';
  const contacts = given.get('contacts');
  if (contacts === '1') options.contacts = ['points', 'impulses'];
  else if (contacts !== null) options.contacts = contactMarks.filter((m) => contacts.split(',').includes(m));
  const colour = given.get('colour');
  if (colour === 'material' || colour === 'island' || colour === 'speed' || colour === 'penetration') options.colour = colour;
  const look = given.get('look');
  if (look === 'quarter' || look === 'front' || look === 'side' || look === 'top') options.look = look;
  const fit = given.get('fit');
  if (fit === 'now' || fit === 'run') options.fit = fit;
  return options;
}
