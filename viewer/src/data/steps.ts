import type { Message } from '../wire/decode';
import type { StepsHeader } from '../wire/messages';

const mostRows = 400_000;

/** The columns of /steps of one run. They grow at the end; a live run that goes on for long loses its oldest rows. */
export class Steps {
  /** rows that are here */
  count = 0;
  /** row of the recording (in steps) that row 0 stands for, and how many steps a row stands for */
  firstStep = 0;
  stride = 1;
  /** changes with the content, for those who draw it */
  version = 0;
  /** time and number of the steps that are not certified, in order */
  readonly uncertified: { time: number[]; step: number[] } = { time: [], step: [] };
  private readonly columns = new Map<string, Float64Array>();
  private capacity = 0;

  receive(message: Message): void {
    const header = message.header as StepsHeader;
    const stride = header.stride ?? 1;
    if (stride !== this.stride) this.clear();
    this.stride = stride;
    let at = Math.round((header.first - this.firstStep) / stride);
    if (this.count === 0 || at > this.count || at < 0) {
      // A gap: the program no longer has what lies between.
      this.clear();
      this.stride = stride;
      this.firstStep = header.first;
      at = 0;
    }
    this.reserve(at + header.count);
    for (const [path, { data }] of message.arrays) {
      const name = path.startsWith('steps/') ? path.slice(6) : path;
      this.column(name, true)!.set(data.length > header.count ? data.subarray(0, header.count) : data, at);
    }
    this.forgetUncertified((time) => !(at < this.count && time >= this.at('time', at)));
    this.count = at + header.count;
    this.noteUncertified(at);
    this.version += 1;
    if (this.count > mostRows) this.dropOldest(Math.floor(mostRows / 4));
  }

  clear(): void {
    this.count = 0;
    this.firstStep = 0;
    this.stride = 1;
    this.uncertified.time.length = 0;
    this.uncertified.step.length = 0;
    this.version += 1;
  }

  /** A live run that was reset to an earlier time takes its later steps back. */
  cutAfter(time: number): void {
    const cut = this.rowAt(time) + 1;
    if (cut < this.count) {
      this.forgetUncertified((t) => t <= time + 1e-9);
      this.count = cut;
      this.version += 1;
    }
  }

  has(name: string): boolean {
    return this.columns.has(name) && this.count > 0;
  }

  /** The column's values, or null when there is none. Valid until the next change. */
  values(name: string): Float64Array | null {
    return this.columns.get(name)?.subarray(0, this.count) ?? null;
  }

  at(name: string, row: number): number {
    return row >= 0 && row < this.count ? (this.columns.get(name)?.[row] ?? NaN) : NaN;
  }

  names(): string[] {
    return [...this.columns.keys()];
  }

  /** The last row whose time is at or before `time`; -1 when there is none. */
  rowAt(time: number): number {
    const times = this.columns.get('time');
    if (!times) return -1;
    let low = -1;
    let high = this.count - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (times[middle]! <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The row that holds step number `step`. With a stride, the row that stands for it. */
  rowOfStep(step: number): number {
    const steps = this.columns.get('step');
    if (!steps) return -1;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (steps[middle]! >= step) high = middle;
      else low = middle + 1;
    }
    return this.count > 0 && steps[low]! >= step ? low : -1;
  }

  private noteUncertified(from: number): void {
    const certified = this.columns.get('certified');
    if (!certified) return;
    for (let row = from; row < this.count; ++row) {
      if (certified[row] !== 0) continue;
      this.uncertified.time.push(this.at('time', row));
      this.uncertified.step.push(this.at('step', row));
    }
  }

  private forgetUncertified(keep: (time: number) => boolean): void {
    const { time, step } = this.uncertified;
    if (time.length === 0) return;
    const kept = time.map((t, i) => [t, step[i]!] as const).filter(([t]) => keep(t));
    time.splice(0, time.length, ...kept.map(([t]) => t));
    step.splice(0, step.length, ...kept.map(([, s]) => s));
  }

  private column(name: string, make: boolean): Float64Array | null {
    let column = this.columns.get(name) ?? null;
    if (!column && make) {
      column = new Float64Array(this.capacity).fill(NaN);
      this.columns.set(name, column);
    }
    return column;
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = Math.max(1024, rows, Math.ceil(this.capacity * 1.6));
    for (const [name, old] of this.columns) {
      const larger = new Float64Array(this.capacity).fill(NaN);
      larger.set(old.subarray(0, this.count));
      this.columns.set(name, larger);
    }
  }

  private dropOldest(rows: number): void {
    for (const column of this.columns.values()) column.copyWithin(0, rows, this.count);
    this.count -= rows;
    const oldest = this.at('time', 0);
    this.forgetUncertified((time) => time >= oldest);
    this.firstStep += rows * this.stride;
  }
}
