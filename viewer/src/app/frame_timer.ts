/** Main-thread time of the last pictures. */
export class FrameTimer {
  private readonly cost = new Float64Array(240);
  private readonly when = new Float64Array(240);
  private count = 0;

  add(milliseconds: number, now: number): void {
    this.cost[this.count % 240] = milliseconds;
    this.when[this.count % 240] = now;
    this.count += 1;
  }

  reset(): void {
    this.count = 0;
  }

  stats(): { pictures: number; mean: number; median: number; p95: number; perSecond: number } {
    const n = Math.min(this.count, 240);
    const sorted = [...this.cost.subarray(0, n)].sort((a, b) => a - b);
    const times = [...this.when.subarray(0, n)];
    const span = n > 1 ? Math.max(...times) - Math.min(...times) : 0;
    return {
      pictures: this.count,
      mean: n ? sorted.reduce((a, b) => a + b, 0) / n : 0,
      median: sorted[Math.floor(n / 2)] ?? 0,
      p95: sorted[Math.floor(0.95 * (n - 1))] ?? 0,
      perSecond: span > 0 ? ((n - 1) / span) * 1000 : 0,
    };
  }
}
