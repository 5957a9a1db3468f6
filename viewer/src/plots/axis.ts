/** Maps values to [0, 1] along an axis, linear or logarithmic. */
export interface Axis {
  low: number;
  high: number;
  log: boolean;
}

export function place(axis: Axis, value: number): number {
  if (axis.log) return Math.log(value / axis.low) / Math.log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

export function unplace(axis: Axis, at: number): number {
  if (axis.log) return axis.low * (axis.high / axis.low) ** at;
  return axis.low + at * (axis.high - axis.low);
}

/** 1, 2 or 5 times a power of ten at or above `value`. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
}

/** What an axis is labelled relative to: nought, or the middle when the range is a tiny part of the numbers. */
export function labelBase(axis: Axis): number {
  const middle = (axis.low + axis.high) / 2;
  return !axis.log && axis.high - axis.low < 1e-2 * Math.abs(middle) ? middle : 0;
}

export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low) || most < 1) return [];
  // Numbers too close together for their size cannot be told apart by ticks at all.
  if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return [];
  const spacing = niceAbove((high - low) / most);
  const found = multiplesWithin(low, high, spacing);
  // One alone says nothing of the scale.
  return found.length < 2 && most > 1 ? multiplesWithin(low, high, spacing / 2) : found;
}

function multiplesWithin(low: number, high: number, spacing: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(low / spacing - 1e-9);
  for (let i = first; i * spacing <= high + 1e-9 * spacing; ++i) {
    ticks.push(i === 0 ? 0 : Number((i * spacing).toPrecision(12)));
  }
  return ticks;
}

export function logTicks(low: number, high: number, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let e = Math.ceil(first / every) * every; e <= last; e += every) ticks.push(Number(`1e${e}`));
  return ticks;
}

export function ticks(axis: Axis, most: number): number[] {
  return axis.log ? logTicks(axis.low, axis.high, most) : linearTicks(axis.low, axis.high, most);
}

/** A range with some air that is never empty. */
export function paddedRange(low: number, high: number, log: boolean): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return log ? [1e-12, 1] : [0, 1];
  if (log) {
    return [10 ** Math.floor(Math.log10(low) - 0.15), 10 ** Math.ceil(Math.log10(high) + 0.15)];
  }
  if (high === low) {
    const half = Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
    return [low - half, high + half];
  }
  // Differences near the rounding of the numbers are no shape to be enlarged.
  const least = 1e-14 * Math.max(Math.abs(low), Math.abs(high));
  const air = Math.max(0.06 * (high - low), least);
  // Numbers that start at zero keep it as their foot.
  return [low >= 0 && low < 0.5 * high ? 0 : low - air, high + air];
}

/** A tick with all its digits, which tell it from the next one: ticks are round numbers, so they are few. */
export function tickText(value: number): string {
  return numberText(value, 12);
}

/** Short text for a reading. */
export function numberText(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}
