import type { Message } from '../wire/decode';
import type { FramesHeader, RunInfo } from '../wire/messages';
import { FramePiece, type Frame } from './frame';
import type { FrameSource } from './frame_source';

export type RequestFrames = (first: number, count: number, contacts: boolean) => boolean;

export interface FrameCacheLimits {
  bytes: number;
  /** what one answer should about weigh: small enough to come at once, large enough to be worth the trip */
  answerBytes: number;
}

const defaultLimits: FrameCacheLimits = { bytes: 160e6, answerBytes: 1.5e6 };
const patience = 5000; // ms until an unanswered request counts as lost
const mostInFlight = 2;
/** of the first request: the first picture should not wait for those after it */
const firstFrames = 8;

interface Pending {
  first: number;
  count: number;
  contacts: boolean;
  since: number;
}

/**
 * The frames of a recording: fetched in pieces when they are looked at, a little ahead of time when they are played, and
 * forgotten in the order of their last use. A report puts all of its pieces in at once and never asks.
 */
export class RecordedFrames implements FrameSource {
  readonly first = 0;
  readonly count: number;
  /** contacts are most of the bytes: they are fetched only while something shows them */
  needContacts = true;
  private readonly slots: (FramePiece | undefined)[];
  private readonly times: Float64Array;
  private readonly pieces = new Set<FramePiece>();
  private pending: Pending[] = [];
  private bytes = 0;
  private clock = 0;
  private bytesPerFrame: number;
  private last: { frame: Frame; piece: FramePiece } | null = null;

  constructor(
    info: RunInfo,
    bodies: number,
    private readonly duration: number,
    private readonly request: RequestFrames,
    private readonly limits = defaultLimits,
  ) {
    this.count = info.frames;
    this.slots = new Array<FramePiece | undefined>(this.count);
    this.times = new Float64Array(this.count).fill(NaN);
    this.bytesPerFrame = bodies * 13 * 8 + bodies * 4 * 84 + 32;
  }

  receive(message: Message): void {
    const { first } = message.header as FramesHeader;
    // An answer without contacts looks like one in which nothing touches: only the question tells.
    const question = this.pending.find((p) => p.first === first);
    const piece = new FramePiece(message, question?.contacts ?? true);
    this.pending = this.pending.filter((p) => p !== question);
    if (piece.count === 0) return;
    this.pieces.add(piece);
    this.bytes += piece.bytes;
    this.bytesPerFrame = Math.max(64, piece.bytes / piece.count);
    piece.lastUsed = ++this.clock;
    for (let i = piece.first; i < Math.min(this.count, piece.first + piece.count); ++i) {
      this.times[i] = piece.time(i);
      this.slots[i] = piece;
    }
    this.evict(piece);
  }

  /** After a lost connection nothing that was asked for will come. */
  forgetRequests(): void {
    this.pending = [];
  }

  frame(index: number): Frame | null {
    const piece = this.slots[index];
    if (!piece || (this.needContacts && !piece.hasContacts)) this.fetch(index);
    if (!piece) return null;
    piece.lastUsed = ++this.clock;
    if (this.last?.piece !== piece || this.last.frame.index !== index) {
      this.last = { piece, frame: piece.frame(index) };
    }
    return this.last.frame;
  }

  has(index: number): boolean {
    return this.slots[index] !== undefined;
  }

  /** Makes sure that the next frames in the direction of play are on their way. */
  prefetch(index: number, framesPerSecond: number): void {
    const ahead = Math.min(this.count, index + Math.max(30, Math.ceil(framesPerSecond)));
    for (let i = index; i < ahead; ++i) {
      if (!this.satisfied(i)) {
        this.fetch(i);
        return;
      }
    }
  }

  startTime(): number {
    const known = this.times[0] ?? NaN;
    return Number.isNaN(known) ? 0 : known;
  }

  endTime(): number {
    const known = this.times[this.count - 1] ?? NaN;
    return Number.isNaN(known) ? this.startTime() + this.duration : known;
  }

  timeAt(index: number): number {
    const known = this.times[index] ?? NaN;
    return Number.isNaN(known) ? this.startTime() + index * this.spacing() : known;
  }

  indexAt(time: number): number {
    const spacing = this.spacing();
    let index = spacing > 0 ? Math.floor((time - this.startTime()) / spacing + 1e-6) : 0;
    index = Math.max(0, Math.min(this.count - 1, index));
    // Frames sit on steps, not exactly on the frame rate's grid: follow the times that are known.
    const slack = 1e-9 + 1e-6 * spacing;
    while (index + 1 < this.count && this.timeAt(index + 1) <= time + slack) ++index;
    while (index > 0 && this.timeAt(index) > time + slack) --index;
    return index;
  }

  private spacing(): number {
    return this.count > 1 ? this.duration / (this.count - 1) : 0;
  }

  private satisfied(index: number): boolean {
    const piece = this.slots[index];
    return piece !== undefined && (piece.hasContacts || !this.needContacts);
  }

  private fetch(index: number): void {
    const now = performance.now();
    this.pending = this.pending.filter((p) => now - p.since < patience);
    if (this.pending.length >= mostInFlight) return;
    if (this.pending.some((p) => index >= p.first && index < p.first + p.count && (p.contacts || !this.needContacts))) return;
    const size = this.pieces.size === 0 ? firstFrames : Math.max(4, Math.min(600, Math.floor(this.limits.answerBytes / this.bytesPerFrame)));
    let count = 1;
    while (count < size && index + count < this.count && !this.satisfied(index + count)) ++count;
    if (this.request(index, count, this.needContacts)) this.pending.push({ first: index, count, contacts: this.needContacts, since: now });
  }

  private evict(keep: FramePiece): void {
    while (this.bytes > this.limits.bytes && this.pieces.size > 1) {
      let oldest: FramePiece | null = null;
      for (const piece of this.pieces) {
        if (piece !== keep && (oldest === null || piece.lastUsed < oldest.lastUsed)) oldest = piece;
      }
      if (!oldest) return;
      this.pieces.delete(oldest);
      this.bytes -= oldest.bytes;
      for (let i = oldest.first; i < oldest.first + oldest.count; ++i) {
        if (this.slots[i] === oldest) this.slots[i] = undefined;
      }
    }
  }
}
