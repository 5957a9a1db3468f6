// Made-up motions with the look of real runs: the page's tests need shapes, contacts and steps, not physics.
import type { Body, Joint, Quaternion, SceneHeader, Shape, Vector3 } from '../../src/wire/messages';
import { encodeMessage, type Arrays } from './encode';

export interface ContactRow {
  a: number;
  b: number;
  point: number[];
  normal: number[];
  impulse: number[];
  mode: number;
  /** counted over all bodies; 0 unless given */
  shape?: number;
}

export interface World {
  title: string;
  description: string;
  planar: boolean;
  bodies: Placeless[];
  home: { position: number[]; orientation: number[] }[];
  /** of each body, where its nodes are at the start */
  nodes?: number[][][];
  low: Vector3;
  high: Vector3;
  contacts: ContactRow[];
  joints?: Joint[];
  /** where body b, or one of its nodes, is at time t */
  motion?: (b: number, t: number, home: number[]) => number[];
}

/** As World, with the bodies' places at the start still apart. */
type Placeless = Omit<Body, 'position' | 'orientation'>;

type Plain = Shape extends infer S ? (S extends Shape ? Omit<S, 'material' | 'position' | 'orientation'> : never) : never;

const shape = (s: Plain, material = 'card', position: Vector3 = [0, 0, 0]): Shape =>
  ({ ...s, material, position, orientation: [1, 0, 0, 0] });

const ground = (): Placeless => ({ name: 'ground', kind: 'spatial', mobility: 'fixed', mass: 0, shapes: [shape({ type: 'half_space' }, 'table')] });

function turnY(angle: number): number[] {
  return [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
}

/** Two leaning cards per tent, a lying one on top of each pair of tents. */
export function cardHouse(levels: number): World {
  const bodies: Placeless[] = [ground()];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const contacts: ContactRow[] = [];
  const [halfHeight, halfWidth, halfThickness] = [0.044, 0.0315, 0.0004];
  const lean = 0.42;
  const rise = 2 * halfHeight * Math.cos(lean);
  const spread = 2 * halfHeight * Math.sin(lean);
  const card = (x: number, z: number, angle: number) => {
    bodies.push({
      name: `card_${bodies.length}`, kind: 'spatial', mobility: 'dynamic', mass: 0.0018,
      shapes: [shape({ type: 'box', half_extents: [halfThickness, halfWidth, halfHeight] })],
    });
    home.push({ position: [x, 0, z], orientation: turnY(angle) });
    const b = bodies.length - 1;
    for (const side of [-1, 1]) {
      const foot = z - halfHeight * Math.cos(angle);
      const point = angle > 1 ? [x + side * 0.03, side * halfWidth, z - halfThickness] : [x - halfHeight * Math.sin(angle), side * halfWidth, foot];
      contacts.push({ a: b, b: Math.max(0, b - 3), point, normal: [0, 0, 1], impulse: [-0.2 * Math.sign(angle) * 1e-5, 0, 2e-5 * (levels - z / rise)], mode: side > 0 ? 1 : 2 });
    }
  };
  for (let level = 0; level < levels; ++level) {
    const tents = levels - level;
    const z = level * (rise + 2 * halfThickness);
    for (let i = 0; i < tents; ++i) {
      const x = (i - (tents - 1) / 2) * 2 * spread;
      card(x - spread / 2, z + rise / 2, lean);
      card(x + spread / 2, z + rise / 2, -lean);
    }
    for (let i = 0; i + 1 < tents; ++i) card((i - (tents - 2) / 2) * 2 * spread, z + rise + halfThickness, Math.PI / 2);
  }
  const width = levels * spread;
  return {
    title: 'card_house', description: 'A house of cards that stands by friction alone', planar: false, bodies, home, contacts,
    low: [-width, -halfWidth, 0], high: [width, halfWidth, levels * rise],
  };
}

/** A heap of boxes in layers, with four contacts below each. */
export function pile(count: number): World {
  const bodies: Placeless[] = [ground()];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const contacts: ContactRow[] = [];
  const side = Math.ceil(Math.cbrt(count));
  const pitch = 0.11;
  for (let i = 0; i < count; ++i) {
    const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)] as const;
    const angle = 0.35 * Math.sin(7.3 * i);
    const p = [(x - side / 2) * pitch, (y - side / 2) * pitch, 0.05 + z * 0.1];
    bodies.push({ name: `box_${i}`, kind: 'spatial', mobility: 'dynamic', mass: 1, shapes: [shape({ type: 'box', half_extents: [0.05, 0.05, 0.05] }, 'wood')] });
    home.push({ position: p, orientation: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)] });
    for (let k = 0; k < 4; ++k) {
      contacts.push({
        a: i + 1, b: z > 0 ? i + 1 - side * side : 0,
        point: [p[0]! + (k & 1 ? 0.04 : -0.04), p[1]! + (k & 2 ? 0.04 : -0.04), z * 0.1],
        normal: [0, 0, 1], impulse: [0.0004 * Math.sin(i + k), 0.0003 * Math.cos(i), 0.0025 * (side - z)], mode: (i + k) % 7 === 0 ? 2 : 1,
      });
    }
  }
  const half = (side * pitch) / 2;
  return {
    title: 'pile', description: `${count} boxes`, planar: false, bodies, home, contacts, low: [-half, -half, 0], high: [half, half, side * 0.1],
    motion: (b, t, h) => [h[0]!, h[1]!, h[2]! + 0.02 * Math.abs(Math.sin(3 * t + b))],
  };
}

/** One body of each spatial shape. */
export function shapes(): World {
  const bodies: Placeless[] = [ground()];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const add = (name: string, list: Shape[], z: number) => {
    bodies.push({ name, kind: 'spatial', mobility: 'dynamic', mass: 1, shapes: list });
    home.push({ position: [(home.length - 3.5) * 0.3, 0.1 * (home.length % 2), z], orientation: [1, 0, 0, 0] });
  };
  add('ball', [shape({ type: 'sphere', radius: 0.1 }, 'rubber')], 0.1);
  add('block', [shape({ type: 'box', half_extents: [0.08, 0.1, 0.06] }, 'wood')], 0.06);
  add('pill', [shape({ type: 'capsule', radius: 0.05, half_length: 0.1 }, 'rubber')], 0.15);
  add('can', [shape({ type: 'cylinder', radius: 0.07, half_length: 0.1 }, 'steel')], 0.1);
  const v: Vector3[] = [[0.1, 0, -0.06], [-0.06, 0.09, -0.06], [-0.06, -0.09, -0.06], [0, 0, 0.12]];
  add('tetrahedron', [shape({ type: 'polytope', vertices: v, faces: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }, 'stone')], 0.06);
  add('dumbbell', [
    shape({ type: 'sphere', radius: 0.05 }, 'steel', [-0.08, 0, 0]),
    shape({ type: 'sphere', radius: 0.05 }, 'steel', [0.08, 0, 0]),
    shape({ type: 'box', half_extents: [0.08, 0.015, 0.015] }, 'wood'),
  ], 0.05);
  return { title: 'shapes', description: '', planar: false, bodies, home, contacts: [], low: [-0.9, -0.1, 0], high: [0.9, 0.2, 0.3] };
}

/** Planar bodies: an arch of polygons, a disk, an ellipse, a segment. */
export function arch(): World {
  const bodies: Placeless[] = [{ ...ground(), kind: 'planar' }];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const contacts: ContactRow[] = [];
  const n = 15;
  const add = (name: string, s: Shape, x: number, z: number, angle = 0) => {
    bodies.push({ name, kind: 'planar', mobility: 'dynamic', mass: 1, shapes: [s] });
    home.push({ position: [x, 0, z], orientation: turnY(angle) });
  };
  for (let i = 0; i < n; ++i) {
    const angle = ((i + 0.5) / n - 0.5) * Math.PI;
    const half = Math.PI / n / 2;
    const corner = (r: number, a: number): [number, number] => [r * Math.sin(a), r * Math.cos(a) - 1];
    add(`voussoir_${i}`, shape({ type: 'polygon', vertices: [corner(0.88, -half), corner(1.12, -half), corner(1.12, half), corner(0.88, half)] }, 'stone'), Math.sin(angle), Math.cos(angle), angle);
    for (const r of [0.89, 1.11]) {
      const a = angle - half;
      contacts.push({ a: i + 1, b: i, point: [r * Math.sin(a), 0, r * Math.cos(a)], normal: [Math.cos(a), 0, -Math.sin(a)], impulse: [0.01 * Math.cos(a), 0, -0.01 * Math.sin(a) + 0.002], mode: r > 1 ? 1 : 0 });
    }
  }
  add('disk', shape({ type: 'disk', radius: 0.15 }, 'steel'), -0.4, 0.15);
  add('ellipse', shape({ type: 'ellipse', radii: [0.2, 0.1] }, 'wood'), 0.3, 0.1);
  add('stick', shape({ type: 'segment', vertices: [[-0.25, 0], [0.25, 0]] }, 'wood'), 0, 0.5, 0.4);
  return { title: 'arch', description: 'An arch of voussoirs', planar: true, bodies, home, contacts, low: [-1.12, 0, 0], high: [1.12, 0, 1.12] };
}

/** Two arms in the air for every type of joint that spatial bodies have. */
export function joints(): World {
  const bodies: Placeless[] = [ground()];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const list: Joint[] = [];
  const types = ['fixed', 'ball', 'hinge', 'slider', 'universal', 'distance'] as const;
  types.forEach((type, i) => {
    const x = (i - 2.5) * 0.35;
    for (const side of [0, 1]) {
      bodies.push({ name: `${type}_${side ? 'arm' : 'base'}`, kind: 'spatial', mobility: 'dynamic', mass: 1, shapes: [shape({ type: 'box', half_extents: [0.03, 0.03, 0.1] }, side ? 'steel' : 'wood')] });
      home.push({ position: [x, 0, 0.12 + side * (type === 'distance' ? 0.4 : 0.22)], orientation: [1, 0, 0, 0] });
    }
    const base = bodies.length - 2;
    list.push({
      name: `${type}_joint`, type, first: base + 1, second: base,
      frame_first: { position: [0, 0, -0.11], orientation: type === 'hinge' ? [Math.SQRT1_2, Math.SQRT1_2, 0, 0] : [1, 0, 0, 0] },
      frame_second: { position: [0, 0, 0.11], orientation: type === 'hinge' ? [Math.SQRT1_2, Math.SQRT1_2, 0, 0] : [1, 0, 0, 0] },
      coordinate_units: type === 'hinge' ? ['rad'] : type === 'slider' ? ['m'] : type === 'universal' ? ['rad', 'rad'] : [],
    });
  });
  list.push({
    name: 'to_the_world', type: 'ball', first: 1, second: -1,
    frame_first: { position: [0, 0, -0.1], orientation: [1, 0, 0, 0] },
    frame_second: { position: [home[1]!.position[0]!, 0, 0.02], orientation: [1, 0, 0, 0] }, coordinate_units: [],
  });
  return { title: 'joints', description: 'One of each type', planar: false, bodies, home, contacts: [], joints: list, low: [-0.95, -0.05, 0], high: [0.95, 0.05, 0.65] };
}

/** Masses on the ground in a winding row, as one body with a node for each, behind a box. */
export function chain(count: number): World {
  const bodies: Placeless[] = [ground()];
  const home = [{ position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  bodies.push({ name: 'box', kind: 'spatial', mobility: 'dynamic', mass: 1, shapes: [shape({ type: 'box', half_extents: [0.02, 0.02, 0.02] }, 'wood')] });
  home.push({ position: [0, -0.1, 0.02], orientation: [1, 0, 0, 0] });
  // Long ones go to and fro.
  const row = Math.max(30, Math.ceil(1.5 * Math.sqrt(count)));
  const places = Array.from({ length: count }, (_, i) => {
    const [x, y] = [i % row, Math.floor(i / row)];
    return [0.03 * ((y % 2 ? row - 1 - x : x) - (row - 1) / 2), 0.03 * y + 0.01 * Math.sin(0.6 * x), 0.01];
  });
  bodies.push({
    name: 'chain', kind: 'network', mobility: 'dynamic', mass: 0.01 * count, nodes: count,
    shapes: places.map((_, node) => ({ ...shape({ type: 'sphere', radius: 0.01 }, 'steel'), node })),
  });
  home.push({ position: centreOf(places), orientation: [1, 0, 0, 0] });
  const contacts = places.map((p, i) => ({ a: 2, b: 0, point: [p[0]!, p[1]!, 0], normal: [0, 0, 1], impulse: [0, 2e-5, 1e-4], mode: i % 3 ? 2 : 1, shape: 2 + i }));
  const half = 0.015 * row;
  return {
    title: 'chain', description: `${count} masses in one body`, planar: false, bodies, home, nodes: [[], [], places], contacts,
    low: [-half, -0.12, 0], high: [half, 0.03 * Math.ceil(count / row), 0.04],
    motion: (b, t, h) => (b === 2 ? [h[0]!, h[1]! + 0.03 * Math.sin(3 * t) * Math.cos(4 * h[0]!), h[2]!] : h),
  };
}

const centreOf = (places: number[][]) => [0, 1, 2].map((i) => places.reduce((sum, p) => sum + p[i]!, 0) / places.length);

/** Where the nodes of all bodies are: as far as they were moved by hand there, else as they move by themselves. */
function nodesAt(world: World, t: number, moved?: Moved): number[][][] {
  return (world.nodes ?? []).map((places, b) => places.map((home, n) => moved?.get(`${b}/${n}`) ?? world.motion?.(b, t, home) ?? home));
}

/** By hand: places of bodies (`3`) and of their nodes (`3/17`). */
export type Moved = Map<string, number[]>;

export function sceneHeader(world: World, mode: SceneHeader['mode'], frames: number, steps: number, session: string, runs = 1): SceneHeader {
  const solvers = ['staggered-projections', 'projected-gauss-seidel'];
  return {
    type: 'scene', version: 1, mode, session, title: world.title, description: world.description, solvers,
    runs: solvers.slice(0, runs).map((solver) => ({ solver, frames, steps, duration: (frames - 1) / 60 })),
    step: 0.001, tolerance: 1e-8, frames_per_second: 60, gravity: [0, 0, -9.81], planar: world.planar,
    bounds: { min: world.low, max: world.high }, step_columns: ['step', 'time', 'kinetic', 'potential', 'work', 'residual', 'certified'],
    initial_kinetic: 0, initial_potential: 1,
    bodies: world.bodies.map((b, i) => ({ ...b, position: world.home[i]!.position as Vector3, orientation: world.home[i]!.orientation as Quaternion })),
    ...(world.joints ? { joints: world.joints } : {}),
  };
}

export function framesMessage(world: World, first: number, count: number, withContacts: boolean, run = 0, moved?: Moved): Buffer {
  const B = world.bodies.length;
  const position = new Float64Array(count * B * 3);
  const orientation = new Float64Array(count * B * 4);
  const velocity = new Float64Array(count * B * 3);
  const time = new Float64Array(count);
  const step = new BigInt64Array(count);
  const start = new BigInt64Array(count);
  const number = new BigInt64Array(count);
  const rows: ContactRow[] = [];
  const nodes: number[] = [];
  for (let f = 0; f < count; ++f) {
    const t = (first + f) / 60;
    time[f] = t;
    step[f] = BigInt(Math.round(t * 1000));
    start[f] = BigInt(rows.length);
    if (first + f > 0 && withContacts) rows.push(...world.contacts);
    number[f] = BigInt(rows.length) - start[f]!;
    const places = nodesAt(world, t, moved);
    for (const p of places.flat()) nodes.push(...p);
    world.home.forEach((home, b) => {
      const own = moved?.get(`${b}`) ?? (b > 0 && world.motion ? world.motion(b, t, home.position) : home.position);
      const p = places[b]?.length ? centreOf(places[b]) : own;
      position.set(p, (f * B + b) * 3);
      orientation.set(home.orientation, (f * B + b) * 4);
      velocity[(f * B + b) * 3 + 2] = b > 0 ? 0.2 * (1 + run) * Math.sin(3 * t + b) : 0;
    });
  }
  const arrays: Arrays = {
    'frames/time': { data: time, shape: [count] },
    'frames/step': { data: step, shape: [count] },
    'frames/position': { data: position, shape: [count, B, 3] },
    'frames/orientation': { data: orientation, shape: [count, B, 4] },
    'frames/linear_velocity': { data: velocity, shape: [count, B, 3] },
    'frames/angular_velocity': { data: new Float64Array(count * B * 3), shape: [count, B, 3] },
    'frames/contact_start': { data: start, shape: [count] },
    'frames/contact_count': { data: number, shape: [count] },
  };
  if (nodes.length > 0) arrays['frames/node_position'] = { data: Float32Array.from(nodes), shape: [count, nodes.length / 3 / count, 3] };
  const K = rows.length;
  const vectors = (pick: (c: ContactRow) => number[]) => ({ data: Float32Array.from(rows.flatMap(pick)), shape: [K, 3] });
  const floats = (pick: (c: ContactRow, k: number) => number) => ({ data: Float32Array.from(rows, pick), shape: [K] });
  const ints = (pick: (c: ContactRow) => number) => ({ data: Int32Array.from(rows, pick), shape: [K] });
  Object.assign(arrays, {
    'contacts/body_a': ints((c) => c.a), 'contacts/body_b': ints((c) => c.b), 'contacts/island': ints((c) => c.a % 5),
    'contacts/shape_a': ints((c) => c.shape ?? 0), 'contacts/shape_b': ints(() => 0),
    'contacts/point': vectors((c) => c.point), 'contacts/normal': vectors((c) => c.normal), 'contacts/impulse': vectors((c) => c.impulse),
    'contacts/velocity': vectors((c) => [c.mode === 2 ? 0.01 : 0, 0, 0]),
    'contacts/gap': floats((_, k) => -1e-7 * (k % 9)), 'contacts/mu': floats(() => 0.6),
    'contacts/residual': floats((_, k) => 10 ** (-13 + (k % 6))),
    'contacts/mode': { data: Uint8Array.from(rows, (c) => c.mode), shape: [K] },
  });
  if (world.joints) {
    const N = world.joints.length;
    const rows = (width: number, value: (j: number) => number) => ({
      data: Float32Array.from({ length: count * N * width }, (_, i) => value(Math.floor(i / width) % N)),
      shape: width > 1 ? [count, N, width] : [count, N],
    });
    Object.assign(arrays, {
      'joints/impulse': rows(3, (j) => 0.01 * (j + 1)), 'joints/torque': rows(3, () => 0.002), 'joints/coordinate': rows(2, (j) => 0.1 * j),
      // The last one is far off.
      'joints/violation': rows(1, (j) => (j === N - 1 ? 0.05 : 1e-9 * (j + 1))), 'joints/angle_violation': rows(1, () => 2e-9),
      'joints/residual': rows(1, () => 1e-12),
    });
  }
  return encodeMessage({ type: 'frames', run, first, count }, arrays);
}

export function stepsMessage(first: number, count: number, stride: number, total: number, run = 0, uncertifiedEvery = 1700): Buffer {
  const isCertified = (step: number) => step % uncertifiedEvery !== 0;
  const rows: number[] = [];
  for (let s = first; s < Math.min(first + count, total); s += stride) rows.push(s + stride);
  const n = rows.length;
  const floats = (value: (step: number) => number) => ({ data: Float64Array.from(rows, value), shape: [n] });
  const kinetic = (s: number) => 0.4 * Math.exp(-s / 2500) * Math.sin(s / 300) ** 2;
  const noise = (s: number) => Math.abs(Math.sin(s * 12.9898) * 43758.5453) % 1;
  return encodeMessage({ type: 'steps', run, first, count: n, stride }, {
    'steps/step': { data: BigInt64Array.from(rows, (s) => BigInt(s)), shape: [n] },
    'steps/time': floats((s) => s / 1000),
    'steps/kinetic': floats(kinetic),
    'steps/potential': floats((s) => 1 - kinetic(s) - 0.2 * (1 - Math.exp(-s / 2000))),
    'steps/work': floats(() => 0),
    'steps/residual': floats((s) => (isCertified(s) ? 10 ** (-11 + 2.4 * noise(s) + 0.3 * run) : 3e-6)),
    'steps/certified': { data: Uint8Array.from(rows, (s) => Number(isCertified(s))), shape: [n] },
    'steps/penetration': floats((s) => 1e-8 * (1 + noise(s + 1))),
    'steps/contacts': { data: Int32Array.from(rows, (s) => 84 + Math.round(4 * Math.sin(s / 500))), shape: [n] },
    'steps/iterations': { data: Int32Array.from(rows, (s) => 2 + Math.floor(8 * noise(s) ** 4)), shape: [n] },
    'steps/status': { data: Uint8Array.from(rows, (s) => (isCertified(s) ? 0 : 1)), shape: [n] },
    'steps/seconds_solve': floats((s) => 0.0004 + 0.0002 * noise(s + 2)),
    'steps/subspace_angle': floats(() => 0.31),
    'steps/painleve_ratio': floats(() => 0.72),
  });
}
