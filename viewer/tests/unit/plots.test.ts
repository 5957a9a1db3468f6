import { describe, expect, it } from 'vitest';
import { labelBase, linearTicks, logTicks, numberText, paddedRange, place, tickText, unplace } from '../../src/plots/axis';
import { toCsv } from '../../src/plots/csv';
import { decimate } from '../../src/plots/decimate';
import { drawPlot, plotFrame } from '../../src/plots/draw';
import { dissipated } from '../../src/plots/panel';
import { legendPlaces } from '../../src/plots/plot';
import { SvgSurface } from '../../src/plots/surface';
import { lengthLabel, niceBelow } from '../../src/scene3d/grid';

describe('axes', () => {
  it('place and unplace are inverse', () => {
    for (const axis of [{ low: 2, high: 12, log: false }, { low: 1e-12, high: 1, log: true }]) {
      for (const at of [0, 0.3, 1]) expect(place(axis, unplace(axis, at))).toBeCloseTo(at, 12);
    }
  });

  it('have round ticks within the range', () => {
    expect(linearTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(linearTicks(-0.3, 0.3, 4)).toEqual([-0.2, 0, 0.2]);
    expect(linearTicks(1, 1, 4)).toEqual([]);
    expect(linearTicks(-4.4e-16, 4.6e-16, 4), 'one alone says nothing of the scale').toEqual([-2.5e-16, 0, 2.5e-16]);
    expect(logTicks(1e-12, 1e-6, 10)).toEqual([1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6]);
    expect(logTicks(1e-12, 1, 4)).toEqual([1e-12, 1e-8, 1e-4, 1]);
  });

  it('are labelled relative to the middle when the range is tiny, and never hang on it', () => {
    expect(labelBase({ low: 0, high: 1, log: false })).toBe(0);
    expect(labelBase({ low: 5, high: 5 + 1e-9, log: false })).toBeCloseTo(5);
    expect(linearTicks(0.04, 0.04 + 1e-17, 5)).toEqual([]);
    expect(linearTicks(1e9, 1e9 + 1e-6, 5)).toEqual([]);
  });

  it('have labels that differ, and fit beside the plot', () => {
    for (const [low, high] of [[0.012031, 0.0120412], [-0.01206, -0.01199], [9.981, 10.031], [123.4, 124.1], [-3e-9, 2e-9]] as const) {
      const base = labelBase({ low, high, log: false });
      for (const most of [5, 20]) {
        const labels = linearTicks(low - base, high - base, most).map(tickText);
        expect(labels.length, `${low} … ${high}`).toBeGreaterThan(1);
        expect(new Set(labels).size, labels.join(' ')).toBe(labels.length);
        expect(Math.max(...labels.map((l) => l.length)), labels.join(' ')).toBeLessThanOrEqual(8);
      }
    }
  });

  it('have ranges that are never empty', () => {
    for (const log of [false, true]) {
      for (const [low, high] of [[1, 1], [Infinity, -Infinity], [1e-9, 5]] as const) {
        const [a, b] = paddedRange(low, high, log);
        expect(b).toBeGreaterThan(a);
      }
    }
    expect(paddedRange(0, 0, false)).toEqual([-1, 1]);
  });

  it('write numbers short', () => {
    expect([0, 1, 1234.5678, 1e-10, 2.5e7, -0.01, NaN].map((v) => numberText(v))).toEqual(['0', '1', '1235', '1e-10', '2.5e7', '-0.01', '–']);
    expect([5000, 2, 0.05, 0.002, 1e-5].map(lengthLabel)).toEqual(['5 km', '2 m', '5 cm', '2 mm', '10 µm']);
    expect([0.7, 2.5, 99].map(niceBelow)).toEqual([0.5, 2, 50]);
  });
});

describe('dissipation', () => {
  const total = Float64Array.of(10, 12, 9);

  it('is what is missing beside the work from outside', () => {
    expect([...dissipated(10, total, Float64Array.of(0, 3, 3))!]).toEqual([0, 1, 4]);
  });

  it('is not known when the work is not', () => {
    expect(dissipated(10, total, Float64Array.of(NaN, NaN, NaN))).toBeNull();
  });
});

describe('a plot', () => {
  it('keeps the last label of its axis within the picture', () => {
    const surface = new SvgSurface();
    const series = [{ name: 'a', unit: '', x: [0, 0.12], y: [0, 1], colour: '#000' }];
    const colours = { background: '#fff', text: '#000', muted: '#000', grid: '#000', threshold: '#000' };
    drawPlot(surface, { title: 'A', unit: '', log: false, series, marks: [] }, plotFrame(300, 160), [0, 0.125], colours);
    const labels = [...surface.finish(300, 160).matchAll(/<text x="([\d.]+)"[^>]*text-anchor="(\w+)">([^<]*)</g)];
    for (const [, x, anchor, text] of labels) expect(Number(x) + (anchor === 'end' ? 0 : 3 * text!.length), text).toBeLessThanOrEqual(300);
    expect(labels.length).toBeGreaterThan(3);
  });
});

describe('an exported legend', () => {
  it('takes another line before it leaves the picture', () => {
    expect(legendPlaces(['a', 'bb'], 50, 700).map((p) => p.line)).toEqual([0, 0]);
    const names = ['staggered-projections: total', 'staggered-projections: dissipated', 'projected-gauss-seidel: total', 'projected-gauss-seidel: dissipated'];
    const places = legendPlaces(names, 56, 710);
    expect(places.map((p) => p.line)).toEqual([0, 0, 1, 1]);
    places.forEach(({ x }, i) => expect(x + 23 + 7 * names[i]!.length).toBeLessThanOrEqual(710));
    expect(legendPlaces(['x'.repeat(200), 'y'], 50, 700).map((p) => p.line), 'one too long stands alone').toEqual([0, 1]);
  });
});

describe('decimate', () => {
  const n = 100_000;
  const x = Float64Array.from({ length: n }, (_, i) => i / 1000);
  const y = Float64Array.from({ length: n }, (_, i) => Math.sin(i / 5000));

  it('keeps peaks and ends', () => {
    y[54_321] = 50;
    y[77_777] = -50;
    const points = decimate(x, y, 0, 100, 300);
    expect(points.length).toBeLessThanOrEqual(8 * 302);
    const values = [...points].filter((_, i) => i % 2 === 1);
    expect(Math.max(...values)).toBe(50);
    expect(Math.min(...values)).toBe(-50);
    const times = [...points].filter((_, i) => i % 2 === 0);
    expect(times[0]).toBe(0);
    expect(times[times.length - 1]).toBe(x[n - 1]);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it('takes the visible part and one point beyond it', () => {
    const points = decimate(x, y, 10, 10.01, 300);
    expect(points[0]).toBeCloseTo(9.999);
    expect(points[points.length - 2]).toBeCloseTo(10.01);
  });

  it('ends with empty data, with gaps and with times that are no numbers', () => {
    expect(decimate([], [], 0, 1, 10)).toHaveLength(0);
    const holes = Float64Array.from({ length: 5000 }, (_, i) => (i % 2 ? NaN : i));
    const points = decimate(Float64Array.from({ length: 5000 }, (_, i) => i), holes, 0, 5000, 20);
    expect(Math.max(...[...points].filter((v) => !Number.isNaN(v)))).toBe(4999);
    expect(decimate(new Float64Array(5000).fill(NaN), holes, 0, 1, 20).length).toBeLessThan(5000 * 2 + 1);
    expect(decimate(new Float64Array(5000), holes, 0, 0, 20).length).toBeGreaterThan(0);
  });
});

describe('CSV', () => {
  it('has every digit, one time column for equal times, and quoted names', () => {
    const time = [0, 0.001, 0.002];
    const text = toCsv([
      { name: 'a', unit: 'J', x: time, y: [1, 2.000000000000001, 3] },
      { name: 'b, "c"', unit: '', x: [...time], y: [NaN, 1e-300, -0.5] },
    ]);
    expect(text).toBe('time (s),a (J),"b, ""c"""\n0,1,\n0.001,2.000000000000001,1e-300\n0.002,3,-0.5\n');
  });

  it('gives other times their own column', () => {
    const text = toCsv([
      { name: 'a', unit: '', x: [0, 1], y: [5, 6] },
      { name: 'b', unit: '', x: [0.5], y: [7] },
    ]);
    expect(text).toBe('time (s),a,time (s),b\n0,5,0.5,7\n1,6,,\n');
  });
});

describe('SVG', () => {
  it('holds the curves, the threshold and escaped text', () => {
    const surface = new SvgSurface();
    drawPlot(
      surface,
      {
        title: 'r', unit: '', log: true, marks: [0.5],
        series: [{ name: 'r', unit: '', x: [0, 1, 2], y: [1e-10, 0, 1e-9], colour: '#123456' }],
        threshold: { value: 1e-8, label: 'a < b' },
      },
      plotFrame(400, 200), [0, 2],
      { background: '#fff', text: '#000', muted: '#888', grid: '#eee', threshold: '#f00' },
    );
    const svg = surface.finish(400, 200);
    expect(svg).toContain('stroke="#123456"');
    expect(svg).toContain('a &lt; b');
    expect(svg).toContain('stroke-dasharray="5 4"');
    expect(svg).not.toContain('NaN');
    expect(svg).not.toContain('Infinity');
  });
});
