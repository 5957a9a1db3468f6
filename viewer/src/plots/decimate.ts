/**
 * Thins a curve to what a plot of `columns` pixels can show: per column its first, least, greatest and last value, in order, so that no
 * peak is lost. Returns flat x, y pairs; NaN in y marks a gap. x must not decrease.
 */
export function decimate(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  low: number,
  high: number,
  columns: number,
): Float64Array {
  const n = Math.min(x.length, y.length);
  const begin = Math.max(0, firstAtOrAfter(x, n, low) - 1);
  const end = Math.min(n, firstAtOrAfter(x, n, high) + 1);
  if (end - begin <= 4 * columns) {
    const all = new Float64Array(2 * (end - begin));
    for (let i = begin; i < end; ++i) {
      all[2 * (i - begin)] = x[i]!;
      all[2 * (i - begin) + 1] = y[i]!;
    }
    return all;
  }
  const result = new Float64Array(8 * (columns + 2));
  let used = 0;
  const push = (i: number) => {
    result[used++] = x[i]!;
    result[used++] = y[i]!;
  };
  const width = (high - low) / columns;
  let i = begin;
  while (i < end) {
    const column = Math.max(-1, Math.min(columns, Math.floor((x[i]! - low) / width)));
    const first = i;
    let least = i;
    let greatest = i;
    while (i < end && Math.max(-1, Math.min(columns, Math.floor((x[i]! - low) / width))) === column) {
      // A value that is no number (not plotted) must not win or lose a comparison for good.
      if (y[i]! < y[least]! || Number.isNaN(y[least]!)) least = i;
      if (y[i]! > y[greatest]! || Number.isNaN(y[greatest]!)) greatest = i;
      ++i;
    }
    if (i === first) ++i; // a time that is no number belongs to no column
    const last = i - 1;
    push(first);
    const [a, b] = least < greatest ? [least, greatest] : [greatest, least];
    if (a !== first && a !== last) push(a);
    if (b !== a && b !== first && b !== last) push(b);
    if (last !== first) push(last);
  }
  return result.subarray(0, used);
}

function firstAtOrAfter(x: ArrayLike<number>, n: number, value: number): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
