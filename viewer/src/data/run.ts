import type { Message } from '../wire/decode';
import type { Reason, RunInfo, SceneHeader } from '../wire/messages';
import type { Frame } from './frame';
import type { FrameSource } from './frame_source';
import { LiveFrames } from './live_frames';
import { RecordedFrames, type RequestFrames } from './recorded_frames';
import { Steps } from './steps';

export interface Track {
  body: number;
  time: ArrayLike<number>;
  position: ArrayLike<number>;
  orientation: ArrayLike<number>;
  linearVelocity: ArrayLike<number>;
  angularVelocity: ArrayLike<number>;
}

/** One of the one or two runs that the page shows. */
export class Run {
  readonly frames: FrameSource;
  readonly steps: Steps;
  readonly recorded: RecordedFrames | null;
  readonly live: LiveFrames | null;
  reasons = new Map<number, string>();
  solver: string;
  /** the frame that is shown */
  shown: Frame | null = null;

  constructor(
    readonly number: number,
    readonly info: RunInfo,
    scene: SceneHeader,
    request: RequestFrames,
    steps: Steps | null,
  ) {
    this.solver = info.solver;
    this.steps = steps ?? new Steps();
    if (scene.mode === 'live') {
      this.live = new LiveFrames();
      this.recorded = null;
      this.frames = this.live;
    } else {
      this.recorded = new RecordedFrames(info, scene.bodies.length, info.duration, request);
      this.live = null;
      this.frames = this.recorded;
    }
  }

  receiveFrames(message: Message): void {
    (this.recorded ?? this.live)!.receive(message);
  }

  receiveReasons(reasons: Reason[]): void {
    for (const { step, reason } of reasons) this.reasons.set(step, reason);
  }
}
