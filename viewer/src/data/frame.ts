import type { Body, FramesHeader, Vector3 } from '../wire/messages';
import type { Message, NumberArray } from '../wire/decode';

export interface Contacts {
  count: number;
  bodyA: NumberArray;
  bodyB: NumberArray;
  /** counted over all bodies */
  shapeA: NumberArray;
  shapeB: NumberArray;
  island: NumberArray;
  point: NumberArray;
  normal: NumberArray;
  impulse: NumberArray;
  velocity: NumberArray;
  gap: NumberArray;
  mu: NumberArray;
  residual: NumberArray;
  mode: NumberArray;
}

/** One row per joint of the scene. */
export interface JointRows {
  impulse: NumberArray;
  torque: NumberArray;
  /** two per joint */
  coordinate: NumberArray;
  violation: NumberArray;
  angleViolation: NumberArray;
  residual: NumberArray;
}

/** One moment of one run: views of a message's arrays. */
export interface Frame {
  index: number;
  time: number;
  step: number;
  bodies: number;
  position: NumberArray;
  orientation: NumberArray;
  linearVelocity: NumberArray;
  angularVelocity: NumberArray;
  /** of all bodies' nodes, one body after the other; empty: there are none */
  nodePosition: NumberArray;
  /** null: not asked for */
  contacts: Contacts | null;
  /** null: the scene has none */
  joints: JointRows | null;
}

/** Where the nodes of each body begin among those of all bodies. */
export function nodeStarts(bodies: readonly Pick<Body, 'nodes'>[]): Int32Array {
  const starts = new Int32Array(bodies.length);
  for (let b = 1; b < bodies.length; ++b) starts[b] = starts[b - 1]! + (bodies[b - 1]!.nodes ?? 0);
  return starts;
}

/** Where a body's frame is, or one of its nodes (-1: none) that `starts` finds; null when the frame has no such thing. */
export function placeOf(frame: Frame | null, starts: Int32Array, body: number, node = -1): Vector3 | null {
  if (!frame || body < 0 || body >= frame.bodies) return null;
  const places = node < 0 ? frame.position : frame.nodePosition;
  const at = 3 * (node < 0 ? body : starts[body]! + node);
  return at + 3 <= places.length ? [places[at]!, places[at + 1]!, places[at + 2]!] : null;
}

/** The frames of one message. */
export class FramePiece {
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
  readonly hasContacts: boolean;
  readonly bodies: number;
  private readonly nodes: number;
  lastUsed = 0;
  private readonly message: Message;

  /** `askedForContacts`: whether contacts that are not there do not exist, or just were not sent */
  constructor(message: Message, askedForContacts = true) {
    const header = message.header as FramesHeader;
    this.message = message;
    this.first = header.first;
    this.bytes = message.bytes;
    const position = message.arrays.get('frames/position');
    this.count = Math.min(header.count, position?.shape[0] ?? 0);
    this.bodies = position?.shape[1] ?? 0;
    this.nodes = message.arrays.get('frames/node_position')?.shape[1] ?? 0;
    this.hasContacts = askedForContacts && message.arrays.has('contacts/point');
  }

  time(index: number): number {
    return this.scalar('frames/time', index - this.first);
  }

  frame(index: number): Frame {
    const row = index - this.first;
    const { bodies, nodes } = this;
    return {
      index,
      time: this.time(index),
      step: this.scalar('frames/step', row),
      bodies,
      position: this.rows('frames/position', row * bodies * 3, bodies * 3),
      orientation: this.rows('frames/orientation', row * bodies * 4, bodies * 4),
      linearVelocity: this.rows('frames/linear_velocity', row * bodies * 3, bodies * 3),
      angularVelocity: this.rows('frames/angular_velocity', row * bodies * 3, bodies * 3),
      nodePosition: this.rows('frames/node_position', row * nodes * 3, nodes * 3),
      contacts: this.hasContacts ? this.contacts(row) : null,
      joints: this.joints(row),
    };
  }

  private contacts(row: number): Contacts {
    const start = this.scalar('frames/contact_start', row);
    const count = this.scalar('frames/contact_count', row);
    const scalars = (name: string) => this.rows(`contacts/${name}`, start, count);
    const vectors = (name: string) => this.rows(`contacts/${name}`, 3 * start, 3 * count);
    return {
      count,
      bodyA: scalars('body_a'),
      bodyB: scalars('body_b'),
      shapeA: scalars('shape_a'),
      shapeB: scalars('shape_b'),
      island: scalars('island'),
      point: vectors('point'),
      normal: vectors('normal'),
      impulse: vectors('impulse'),
      velocity: vectors('velocity'),
      gap: scalars('gap'),
      mu: scalars('mu'),
      residual: scalars('residual'),
      mode: scalars('mode'),
    };
  }

  private joints(row: number): JointRows | null {
    const n = this.message.arrays.get('joints/violation')?.shape[1] ?? 0;
    if (n === 0) return null;
    const rows = (name: string, width: number) => this.rows(`joints/${name}`, row * n * width, n * width);
    return {
      impulse: rows('impulse', 3),
      torque: rows('torque', 3),
      coordinate: rows('coordinate', 2),
      violation: rows('violation', 1),
      angleViolation: rows('angle_violation', 1),
      residual: rows('residual', 1),
    };
  }

  private scalar(name: string, row: number): number {
    return this.message.arrays.get(name)?.data[row] ?? 0;
  }

  /** Zeros when the message does without the array, so that readers need no special cases. */
  private rows(name: string, start: number, length: number): NumberArray {
    const data = this.message.arrays.get(name)?.data;
    return data && data.length >= start + length ? data.subarray(start, start + length) : new Float32Array(length);
  }
}
