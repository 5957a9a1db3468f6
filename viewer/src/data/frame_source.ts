import type { Frame } from './frame';

/** Where the frames of a run come from: a recording in pieces, a report, or the history of a live run. */
export interface FrameSource {
  /** index of the first frame that there is, and the number of frames */
  readonly first: number;
  readonly count: number;
  startTime(): number;
  endTime(): number;
  /** The frame, or null while it is not here. Asks for it when it can. */
  frame(index: number): Frame | null;
  /** The last frame at or before `time`. */
  indexAt(time: number): number;
  timeAt(index: number): number;
}
