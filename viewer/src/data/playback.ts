/** What moves the time of a recording: playing, looping, stepping. It knows nothing of frames but their times. */
export class Playback {
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  start = 0;
  end = 0;

  setRange(start: number, end: number): void {
    this.start = start;
    this.end = Math.max(start, end);
    this.time = Math.min(this.end, Math.max(this.start, this.time));
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
  }

  /** Starts, from the beginning when it stands at the end. */
  play(): void {
    if (this.time >= this.end - 1e-9) this.time = this.start;
    this.playing = this.end > this.start;
  }

  pause(): void {
    this.playing = false;
  }

  /** Goes on by `seconds` of wall time. Returns whether the time changed. */
  advance(seconds: number): boolean {
    if (!this.playing) return false;
    // After a hidden tab, go on from where it was rather than leap.
    this.time += Math.min(seconds, 0.25) * this.speed;
    if (this.time >= this.end) {
      if (this.loop) {
        this.time = this.start;
      } else {
        this.time = this.end;
        this.playing = false;
      }
    }
    return true;
  }
}
