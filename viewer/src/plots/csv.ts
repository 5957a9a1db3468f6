export interface Column {
  name: string;
  unit: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

function field(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function heading(name: string, unit: string): string {
  return field(unit ? `${name} (${unit})` : name);
}

/**
 * The data of a plot, every digit of it. Columns with the same times share one; others get a time column of their own, since
 * merging them would need values that were never computed.
 */
export function toCsv(columns: Column[]): string {
  const groups: { x: ArrayLike<number>; columns: Column[] }[] = [];
  for (const column of columns) {
    const group = groups.find((g) => g.x === column.x || sameNumbers(g.x, column.x));
    if (group) group.columns.push(column);
    else groups.push({ x: column.x, columns: [column] });
  }
  const head = groups.flatMap((g) => ['time (s)', ...g.columns.map((c) => heading(c.name, c.unit))]);
  const rows = Math.max(0, ...groups.map((g) => g.x.length));
  const lines: string[] = [head.join(',')];
  for (let i = 0; i < rows; ++i) {
    const cells: string[] = [];
    for (const g of groups) {
      const there = i < g.x.length;
      cells.push(there ? String(g.x[i]) : '');
      for (const c of g.columns) cells.push(there && Number.isFinite(c.y[i]!) ? String(c.y[i]) : '');
    }
    lines.push(cells.join(','));
  }
  return `${lines.join('\n')}\n`;
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}
