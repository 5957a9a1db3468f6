import { type Axis, labelBase, paddedRange, place, ticks, tickText } from './axis';
import { decimate } from './decimate';
import type { Surface } from './surface';

export interface Series {
  name: string;
  unit: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  dash?: string;
}

export interface PlotContent {
  title: string;
  unit: string;
  log: boolean;
  series: Series[];
  /** a horizontal line, such as the tolerance */
  threshold?: { value: number; label: string };
  /** times to mark in red */
  marks: ArrayLike<number>;
  /** why something is missing */
  note?: string;
}

export interface PlotColours {
  background: string;
  text: string;
  muted: string;
  grid: string;
  threshold: string;
}

export interface PlotFrame {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const margins = { left: 56, right: 10, top: 8, bottom: 20 };

export function plotFrame(width: number, height: number, top = margins.top): PlotFrame {
  return {
    left: margins.left,
    top,
    width: Math.max(10, width - margins.left - margins.right),
    height: Math.max(10, height - top - margins.bottom),
  };
}

/** The range of the values that can be shown. */
export function valueRange(content: PlotContent): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const { y } of content.series) {
    for (let i = 0; i < y.length; ++i) {
      const value = y[i]!;
      if (!Number.isFinite(value) || (content.log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (content.threshold && content.log && Number.isFinite(low)) {
    low = Math.min(low, content.threshold.value);
    high = Math.max(high, content.threshold.value);
  }
  return paddedRange(low, high, content.log);
}

export function drawPlot(
  surface: Surface,
  content: PlotContent,
  frame: PlotFrame,
  time: [number, number],
  colours: PlotColours,
): void {
  const [low, high] = valueRange(content);
  const yAxis: Axis = { low, high, log: content.log };
  const xAxis: Axis = { low: time[0], high: Math.max(time[1], time[0] + 1e-9), log: false };
  const toX = (t: number) => frame.left + place(xAxis, t) * frame.width;
  const toY = (v: number) => frame.top + (1 - place(yAxis, v)) * frame.height;
  const right = frame.left + frame.width;
  const bottom = frame.top + frame.height;

  const base = labelBase(yAxis);
  const shifted: Axis = { low: low - base, high: high - base, log: content.log };
  for (const value of ticks(shifted, Math.max(2, Math.floor(frame.height / 24)))) {
    const y = Math.round(frame.top + (1 - place(shifted, value)) * frame.height) + 0.5;
    surface.polyline(Float64Array.of(frame.left, y, right, y), colours.grid, 1);
    surface.text(frame.left - 6, y + 3.5, tickText(value), colours.muted, 10.5, 'end');
  }
  for (const t of ticks(xAxis, Math.max(2, Math.floor(frame.width / 52)))) {
    const x = toX(t);
    surface.polyline(Float64Array.of(x, bottom, x, bottom + 3), colours.muted, 1);
    const label = tickText(t);
    const edge = right + margins.right - 1;
    const fits = x + 3 * label.length <= edge; // about half of its width, at this size
    surface.text(fits ? x : edge, bottom + 14, label, colours.muted, 10.5, fits ? 'middle' : 'end');
  }
  surface.clip(frame.left, frame.top, frame.width, frame.height, () => {
    drawMarks(surface, content.marks, toX, frame, colours.threshold);
    for (const series of content.series) {
      const points = decimate(series.x, series.y, xAxis.low, xAxis.high, Math.ceil(frame.width));
      for (let i = 0; i < points.length; i += 2) {
        points[i] = toX(points[i]!);
        const y = points[i + 1]!;
        // On a log axis nought lies infinitely low: draw it on the floor rather than leave a hole.
        points[i + 1] = content.log && y <= 0 ? bottom : toY(y);
      }
      surface.polyline(points, series.colour, 1.4, series.dash);
    }
    if (content.threshold) {
      const y = toY(content.threshold.value);
      surface.polyline(Float64Array.of(frame.left, y, right, y), colours.threshold, 1.2, '5 4');
      surface.text(right - 4, y - 4, content.threshold.label, colours.threshold, 10.5, 'end');
    }
  });
  surface.polyline(Float64Array.of(frame.left + 0.5, frame.top, frame.left + 0.5, bottom, right, bottom), colours.muted, 1);
  if (base !== 0) drawBase(surface, `relative to ${Number(base.toPrecision(10))}`, frame, colours);
}

/** What the labels count from, readable over whatever was drawn there. */
function drawBase(surface: Surface, text: string, frame: PlotFrame, colours: PlotColours): void {
  const width = 5.8 * text.length; // about, at this size
  surface.rectangle(frame.left + 3, frame.top + 5, width + 6, 15, colours.background);
  surface.text(frame.left + 6, frame.top + 16, text, colours.muted, 10.5, 'start');
}

function drawMarks(surface: Surface, marks: ArrayLike<number>, toX: (t: number) => number, frame: PlotFrame, colour: string): void {
  // One line per pixel at most, however many steps are marked.
  let last = -Infinity;
  for (let i = 0; i < marks.length; ++i) {
    const x = Math.round(toX(marks[i]!)) + 0.5;
    if (x - last < 1) continue;
    last = x;
    surface.polyline(Float64Array.of(x, frame.top, x, frame.top + 5), colour, 1.5);
  }
}
