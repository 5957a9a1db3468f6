import type { Message } from '../wire/decode';
import { FramePiece, type Frame } from './frame';
import type { FrameSource } from './frame_source';

/** The last frames of a live run, as many as the memory allowed for them holds. Indices count from the start of the page's history. */
export class LiveFrames implements FrameSource {
  private pieces: FramePiece[] = [];
  private dropped = 0;
  private bytes = 0;
  private last: { frame: Frame; piece: FramePiece } | null = null;

  constructor(
    private readonly mostBytes = 96e6,
    private readonly mostFrames = 3600,
  ) {}

  receive(message: Message): void {
    const piece = new FramePiece(message);
    if (piece.count === 0) return;
    const newest = this.pieces[this.pieces.length - 1];
    // The same moment again (a changed setting while paused) replaces; an earlier one starts a new history.
    if (newest && piece.time(piece.first) < newest.time(newest.first)) this.clear();
    else if (newest && piece.time(piece.first) === newest.time(newest.first)) this.removeNewest();
    this.pieces.push(piece);
    this.bytes += piece.bytes;
    // Dropping in bulk keeps the cost per frame constant.
    if (this.bytes > this.mostBytes || this.pieces.length > this.mostFrames) {
      const gone = this.pieces.splice(0, Math.max(1, Math.ceil(this.pieces.length / 8)));
      this.dropped += gone.length;
      for (const old of gone) this.bytes -= old.bytes;
    }
  }

  clear(): void {
    this.pieces = [];
    this.bytes = 0;
    this.dropped = 0;
    this.last = null;
  }

  get first(): number {
    return this.dropped;
  }

  get count(): number {
    return this.pieces.length;
  }

  newest(): number {
    return this.dropped + this.pieces.length - 1;
  }

  frame(index: number): Frame | null {
    const piece = this.pieces[index - this.dropped];
    if (!piece) return null;
    if (this.last?.piece !== piece) {
      this.last = { piece, frame: { ...piece.frame(piece.first + piece.count - 1), index } };
    }
    return this.last.frame;
  }

  startTime(): number {
    return this.timeAt(this.first);
  }

  endTime(): number {
    return this.timeAt(this.newest());
  }

  timeAt(index: number): number {
    const piece = this.pieces[index - this.dropped];
    return piece ? piece.time(piece.first + piece.count - 1) : 0;
  }

  indexAt(time: number): number {
    let low = this.first;
    let high = this.newest();
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.timeAt(middle) <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, this.first);
  }

  private removeNewest(): void {
    const piece = this.pieces.pop();
    if (piece) this.bytes -= piece.bytes;
  }
}
