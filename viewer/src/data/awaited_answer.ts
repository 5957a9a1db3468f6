/** ms that a picture waits for the program at most */
const patience = 30;
/**
 * s of simulated time that a pull needs to be seen: the hand's spring (40 rad/s, critically damped) has gone 4 % of its way by then, and
 * a tenth of that in the first quarter of the time.
 */
const visibleAfter = 0.008;

/**
 * Where a picture takes long, one that is begun just before the answer to a pull comes holds that answer up: the page cannot even
 * receive it meanwhile. This says when it is better to wait.
 */
export class AwaitedAnswer {
  private last = 0;
  private waiting: { number: number; since: number; answered: number | null } | null = null;

  /** A pull goes out now: the number that it is to carry. */
  sent(now: number): number {
    this.last += 1;
    this.waiting ??= { number: this.last, since: now, answered: null };
    return this.last;
  }

  /** A frame came, of simulated time `time`; the last pull before it was number `obeyed`. */
  arrived(obeyed: number, time: number): void {
    const { waiting } = this;
    if (!waiting || obeyed < waiting.number) return;
    waiting.answered ??= time;
    if (time >= waiting.answered + visibleAfter) this.waiting = null;
  }

  /** Whether a picture should wait. */
  pending(now: number): boolean {
    if (this.waiting && now - this.waiting.since >= patience) this.waiting = null;
    return this.waiting !== null;
  }
}
