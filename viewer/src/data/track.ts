import type { Message } from '../wire/decode';
import type { TrackHeader } from '../wire/messages';
import type { FrameSource } from './frame_source';
import type { Frame } from './frame';
import type { Track } from './run';

export const coordinates = [
  'x', 'y', 'z',
  'vx', 'vy', 'vz', 'speed',
  'wx', 'wy', 'wz',
  'qw', 'qx', 'qy', 'qz',
] as const;
export type Coordinate = (typeof coordinates)[number];

export const coordinateUnit: Record<Coordinate, string> = {
  x: 'm', y: 'm', z: 'm',
  vx: 'm/s', vy: 'm/s', vz: 'm/s', speed: 'm/s',
  wx: 'rad/s', wy: 'rad/s', wz: 'rad/s',
  qw: '', qx: '', qy: '', qz: '',
};

export function trackFromMessage(message: Message): Track {
  const data = (name: string) => message.arrays.get(`frames/${name}`)?.data ?? new Float64Array(0);
  return {
    body: (message.header as TrackHeader).body,
    time: data('time'),
    position: data('position'),
    orientation: data('orientation'),
    linearVelocity: data('linear_velocity'),
    angularVelocity: data('angular_velocity'),
  };
}

/** A track that is put together from frames: a report's, or a live run's as they come. */
export class GrowingTrack implements Track {
  readonly time: number[] = [];
  readonly position: number[] = [];
  readonly orientation: number[] = [];
  readonly linearVelocity: number[] = [];
  readonly angularVelocity: number[] = [];

  constructor(readonly body: number) {}

  static of(frames: FrameSource, body: number): GrowingTrack {
    const track = new GrowingTrack(body);
    for (let i = frames.first; i < frames.first + frames.count; ++i) {
      const frame = frames.frame(i);
      if (frame) track.add(frame);
    }
    return track;
  }

  add(frame: Frame): void {
    const b = this.body;
    if (b >= frame.bodies) return;
    const last = this.time[this.time.length - 1];
    if (last !== undefined && frame.time <= last) {
      if (frame.time === last) return;
      this.clear();
    }
    this.time.push(frame.time);
    for (let i = 0; i < 3; ++i) {
      this.position.push(frame.position[3 * b + i]!);
      this.linearVelocity.push(frame.linearVelocity[3 * b + i]!);
      this.angularVelocity.push(frame.angularVelocity[3 * b + i]!);
    }
    for (let i = 0; i < 4; ++i) this.orientation.push(frame.orientation[4 * b + i]!);
    if (this.time.length > 40_000) this.dropOldest(10_000);
  }

  private clear(): void {
    this.dropOldest(this.time.length);
  }

  private dropOldest(rows: number): void {
    this.time.splice(0, rows);
    this.position.splice(0, 3 * rows);
    this.orientation.splice(0, 4 * rows);
    this.linearVelocity.splice(0, 3 * rows);
    this.angularVelocity.splice(0, 3 * rows);
  }
}

/** One coordinate of a track over its times. */
export function coordinateOf(track: Track, coordinate: Coordinate): Float64Array {
  const n = track.time.length;
  const result = new Float64Array(n);
  const take = (source: ArrayLike<number>, width: number, at: number) => {
    for (let i = 0; i < n; ++i) result[i] = source[width * i + at] ?? NaN;
  };
  const axis = 'xyz'.indexOf(coordinate.slice(-1));
  if (coordinate === 'speed') {
    const v = track.linearVelocity;
    for (let i = 0; i < n; ++i) result[i] = Math.hypot(v[3 * i]!, v[3 * i + 1]!, v[3 * i + 2]!);
  } else if (coordinate.startsWith('q')) take(track.orientation, 4, 'wxyz'.indexOf(coordinate.slice(-1)));
  else if (coordinate.startsWith('v')) take(track.linearVelocity, 3, axis);
  else if (coordinate.startsWith('w')) take(track.angularVelocity, 3, axis);
  else take(track.position, 3, axis);
  return result;
}
