import type { Session } from './session';

/** Play, pause, step, seek: of a recording in the page, of a live run by commands to the program. */
export class Transport {
  constructor(private readonly session: Session) {}

  playOrPause(): void {
    const { session } = this;
    if (session.live) {
      session.detached = false;
      session.send({ type: 'control', action: session.state?.paused ? 'resume' : 'pause' });
    } else if (session.playback.playing) {
      session.playback.pause();
      session.pinned = session.runs[0]?.shown?.index ?? null;
    } else {
      session.pinned = null;
      session.playback.play();
    }
  }

  step(direction: 1 | -1): void {
    const { session } = this;
    const run = session.runs[0];
    if (!run) return;
    if (!run.live) {
      this.seekIndex((session.pinned ?? run.shown?.index ?? 0) + direction);
      return;
    }
    // The last command counts, also before it is drawn.
    const at = (session.detached ? session.pinned : null) ?? run.shown?.index ?? run.live.newest();
    if (direction > 0 && (!session.detached || at >= run.live.newest())) {
      session.detached = false;
      session.send({ type: 'control', action: 'step' });
      return;
    }
    if (!session.state?.paused) session.send({ type: 'control', action: 'pause' });
    this.seekIndex(at + direction);
  }

  seekIndex(index: number): void {
    const { session } = this;
    const frames = session.runs[0]?.frames;
    if (!frames) return;
    const last = frames.first + frames.count - 1;
    session.pinned = Math.max(frames.first, Math.min(last, index));
    session.playback.pause();
    session.playback.seek(frames.timeAt(session.pinned));
    if (session.live) {
      session.detached = session.pinned < last;
      session.playback.time = frames.timeAt(session.pinned);
    }
  }

  seek(time: number): void {
    const frames = this.session.runs[0]?.frames;
    if (frames) this.seekIndex(frames.indexAt(time));
  }

  toEnd(end: 'start' | 'end'): void {
    const frames = this.session.runs[0]?.frames;
    if (frames) this.seekIndex(end === 'start' ? frames.first : frames.first + frames.count - 1);
  }

  setSpeed(value: number): void {
    this.session.playback.speed = value;
    if (this.session.live) this.session.send({ type: 'set', speed: value });
  }

  reset(): void {
    this.session.detached = false;
    if (this.session.live) this.session.send({ type: 'control', action: 'reset' });
    else this.toEnd('start');
  }

  toNextUncertified(): void {
    const { runs } = this.session;
    const now = this.session.currentTime();
    for (const wrap of [false, true]) {
      for (const run of runs) {
        const { time } = run.steps.uncertified;
        const next = time.find((t) => wrap || t > now + 1e-9);
        if (next === undefined) continue;
        // The frame that shows a step is the first one at or after it.
        let index = runs[0]!.frames.indexAt(next);
        if (runs[0]!.frames.timeAt(index) < next - 1e-9) index += 1;
        this.seekIndex(index);
        return;
      }
    }
  }
}
