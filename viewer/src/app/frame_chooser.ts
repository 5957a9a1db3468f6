import type { Run } from '../data/run';
import type { Stage } from '../scene3d/stage';
import type { Session } from './session';

/** Chooses the frame of each run that is to be seen now, and puts it into its view. */
export class FrameChooser {
  /** the first frame of a scene is framed closer than the scene's bounds, which hold the table too */
  fitFirst = false;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
  ) {}

  /** `seconds`: since the last picture. Says whether anything moved. */
  update(seconds: number): boolean {
    return this.session.live ? this.updateLive() : this.updateRecorded(seconds);
  }

  private updateLive(): boolean {
    const { session } = this;
    let changed = false;
    for (const run of session.runs) {
      const live = run.live!;
      if (live.count === 0) continue;
      let index = live.newest();
      if (session.detached) {
        index = run.number === 0 ? Math.max(live.first, session.pinned ?? index) : live.indexAt(session.playback.time);
      }
      changed = this.show(run, live.frame(index)) || changed;
    }
    return changed;
  }

  private updateRecorded(seconds: number): boolean {
    const { session } = this;
    const { playback, runs } = session;
    playback.setRange(Math.min(...runs.map((r) => r.frames.startTime())), Math.max(...runs.map((r) => r.frames.endTime())));
    const before = playback.time;
    playback.advance(seconds);
    if (playback.playing) {
      session.pinned = null;
      // Wait for frames that are on their way rather than leap over them.
      if (!this.framesAreHere()) playback.time = before;
    }
    let changed = false;
    for (const run of runs) {
      const pinned = run.number === 0 ? session.pinned : null;
      const frame = run.frames.frame(pinned ?? run.frames.indexAt(playback.time));
      if (frame && pinned !== null) playback.time = frame.time;
      changed = this.show(run, frame) || changed;
    }
    return changed;
  }

  /** Whether those of the present time are; asks for the next ones. */
  private framesAreHere(): boolean {
    const { playback, runs } = this.session;
    const perSecond = (runs[0]!.frames.count / Math.max(1e-9, playback.end - playback.start)) * playback.speed;
    let ready = true;
    for (const run of runs) {
      const index = run.frames.indexAt(playback.time);
      if (!run.recorded!.has(index)) ready = false;
      run.recorded!.prefetch(index, perSecond);
    }
    return ready;
  }

  private show(run: Run, frame: Run['shown']): boolean {
    if (!frame || frame === run.shown) return false;
    run.shown = frame;
    this.stage.views[run.number]!.show(frame);
    if (this.fitFirst) {
      this.fitFirst = false;
      this.stage.fit();
    }
    return true;
  }
}
