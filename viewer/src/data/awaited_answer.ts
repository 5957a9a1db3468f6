/** ms that a picture waits for the program at most */
const patience = 30;
/** ms between pictures that nobody awaits: the processor's time goes to the simulation and to the hand's next move instead */
const leisure = 40;
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
  private due = true;
  private drawnAt = -Infinity;

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
    if (time >= waiting.answered + visibleAfter) this.stopWaiting();
  }

  /** Whether a picture should wait: for the answer, or because none is awaited and the last one is young. */
  holds(now: number): boolean {
    if (this.waiting && now - this.waiting.since >= patience) this.stopWaiting();
    return this.waiting !== null || (!this.due && now - this.drawnAt < leisure);
  }

  drawn(now: number): void {
    this.due = false;
    this.drawnAt = now;
  }

  private stopWaiting(): void {
    this.waiting = null;
    this.due = true;
  }
}
