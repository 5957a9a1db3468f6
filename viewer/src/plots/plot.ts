import { button, element, setText } from '../ui/dom';
import { saveFile } from '../ui/save_file';
import { numberText } from './axis';
import { toCsv } from './csv';
import { drawPlot, margins, plotFrame, type PlotColours, type PlotContent } from './draw';
import { CanvasSurface, SvgSurface } from './surface';

export interface PlotHost {
  /** times at the ends of the axis */
  range(): [number, number];
  /** whether there are steps: before, a plot without content may still get some */
  hasSteps(): boolean;
  colours(): PlotColours;
  seek(time: number): void;
  /** name of the run, for names of files */
  fileName(): string;
}

/** A plot on the page: heading with readings at the cursor, canvas, cursor, export buttons. */
export class Plot {
  readonly root: HTMLDetailsElement;
  private readonly canvas = element('canvas', { class: 'plot-canvas' });
  private readonly cursor = element('div', { class: 'plot-cursor' });
  private readonly legend = element('div', { class: 'plot-legend' });
  private readonly note = element('p', { class: 'plot-note', hidden: '' });
  private readonly area: HTMLElement;
  private readonly readings: HTMLElement[] = [];
  private content: PlotContent | null = null;
  /** as it was drawn; 0 when it is not to be seen. Asking the page would cost a layout each time */
  private width = 0;
  private drawnRange: [number, number] = [0, 1];
  private legendNames = '';

  constructor(
    readonly id: string,
    title: string,
    private readonly host: PlotHost,
    extra: HTMLElement | null,
    private readonly makeContent: () => PlotContent | null,
  ) {
    const save = (kind: 'svg' | 'png' | 'csv') =>
      button(kind.toUpperCase(), `Save ${title.toLowerCase()} as ${kind.toUpperCase()}`, () => this.save(kind), {
        class: 'small',
        'data-export': `${id}-${kind}`,
      });
    this.area = element('div', { class: 'plot-area' }, [this.canvas, this.cursor]);
    this.root = element('details', { class: 'plot', open: '', 'data-plot': id }, [
      element('summary', {}, [element('span', { class: 'plot-title' }, [title])]),
      element('div', { class: 'plot-head' }, [
        this.legend,
        element('div', { class: 'plot-tools' }, [save('svg'), save('png'), save('csv')]),
      ]),
      this.note,
      ...(extra ? [extra] : []),
      this.area,
    ]);
    this.root.addEventListener('toggle', () => this.redraw());
    this.area.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.area.setPointerCapture(event.pointerId);
      this.seekTo(event);
    });
    this.area.addEventListener('pointermove', (event) => {
      if (this.area.hasPointerCapture(event.pointerId)) this.seekTo(event);
    });
  }

  /** Draws again from the data. */
  redraw(): void {
    this.content = this.makeContent();
    this.root.hidden = this.content === null && this.host.hasSteps();
    this.width = this.area.clientWidth;
    if (!this.content || this.width === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio);
    const height = this.area.clientHeight;
    const pixels = [Math.round(this.width * ratio), Math.round(height * ratio)] as const;
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
    }
    const context = this.canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, height);
    this.drawnRange = this.host.range();
    this.note.hidden = !this.content.note;
    setText(this.note, this.content.note ?? '');
    drawPlot(new CanvasSurface(context), this.content, plotFrame(this.width, height), this.drawnRange, this.host.colours());
    this.buildLegend();
  }

  /** Moves the cursor; `withReadings`: also the numbers, which cost a layout and need not follow every picture. */
  setTime(time: number, withReadings: boolean): void {
    if (!this.content || this.width === 0) return;
    const [low, high] = this.drawnRange;
    const at = (time - low) / Math.max(1e-12, high - low);
    const x = margins.left + Math.min(1, Math.max(0, at)) * (this.width - margins.left - margins.right);
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    if (!withReadings) return;
    this.content.series.forEach((series, i) => {
      const reading = this.readings[i];
      if (reading) reading.textContent = numberText(valueAt(series.x, series.y, time));
    });
  }

  svg(): string {
    const surface = new SvgSurface();
    this.paintExport((width, height) => surface.rectangle(0, 0, width, height, this.host.colours().background), surface);
    return surface.finish(exportSize.width, exportSize.height);
  }

  csv(): string {
    return toCsv((this.makeContent()?.series ?? []).map(({ name, unit, x, y }) => ({ name, unit, x, y })));
  }

  private save(kind: 'svg' | 'png' | 'csv'): void {
    const name = `${this.host.fileName()}-${this.id}.${kind}`;
    if (kind === 'csv') saveFile(name, new Blob([this.csv()], { type: 'text/csv' }));
    else if (kind === 'svg') saveFile(name, new Blob([this.svg()], { type: 'image/svg+xml' }));
    else this.png((blob) => saveFile(name, blob));
  }

  private png(done: (blob: Blob) => void): void {
    const canvas = element('canvas', {});
    canvas.width = 2 * exportSize.width;
    canvas.height = 2 * exportSize.height;
    const context = canvas.getContext('2d')!;
    context.scale(2, 2);
    const surface = new CanvasSurface(context);
    this.paintExport((width, height) => surface.rectangle(0, 0, width, height, this.host.colours().background), surface);
    canvas.toBlob((blob) => blob && done(blob), 'image/png');
  }

  /** A plot that is read away from the page needs its title, legend and units in itself. */
  private paintExport(background: (width: number, height: number) => void, surface: CanvasSurface | SvgSurface): void {
    const content = this.makeContent();
    if (!content) return;
    const { width, height } = exportSize;
    const colours = this.host.colours();
    background(width, height);
    surface.text(margins.left, 22, content.unit ? `${content.title} (${content.unit})` : content.title, colours.text, 15, 'start');
    const places = legendPlaces(content.series.map((s) => s.name), margins.left, width - margins.right);
    content.series.forEach((series, i) => {
      const { x, line } = places[i]!;
      const y = 42 + legendLine * line;
      surface.polyline(Float64Array.of(x, y - 4, x + 18, y - 4), series.colour, 2, series.dash);
      surface.text(x + 23, y, series.name, colours.text, 12, 'start');
    });
    const top = 56 + legendLine * (places[places.length - 1]?.line ?? 0);
    drawPlot(surface, content, plotFrame(width, height - 14, top), this.host.range(), colours);
    surface.text(width - margins.right, height - 6, 'time (s)', colours.muted, 11, 'end');
    if (content.note) surface.text(margins.left, height - 6, content.note, colours.muted, 11, 'start');
  }

  private buildLegend(): void {
    const { series, unit } = this.content!;
    const names = series.map((s) => `${s.name} ${s.colour} ${s.dash}`).join('|') + unit;
    if (names === this.legendNames) return;
    this.legendNames = names;
    this.readings.length = 0;
    this.legend.replaceChildren(
      ...series.map((s) => {
        const reading = element('span', { class: 'reading' });
        this.readings.push(reading);
        const swatch = element('span', { class: s.dash ? 'swatch dashed' : 'swatch' });
        swatch.style.setProperty('--swatch', s.colour);
        return element('span', { class: 'legend-item' }, [swatch, s.name, reading, s.unit]);
      }),
    );
  }

  private seekTo(event: PointerEvent): void {
    const box = this.area.getBoundingClientRect();
    const inner = box.width - margins.left - margins.right;
    const at = (event.clientX - box.left - margins.left) / Math.max(1, inner);
    const [low, high] = this.drawnRange;
    this.host.seek(low + Math.min(1, Math.max(0, at)) * (high - low));
  }
}

const exportSize = { width: 720, height: 340 };
/** pixels from one line of an exported legend to the next */
const legendLine = 17;

/** Where the entries of an exported legend stand, in as many lines as they need. */
export function legendPlaces(names: string[], left: number, right: number): { x: number; line: number }[] {
  let x = left;
  let line = 0;
  return names.map((name) => {
    const width = 23 + 7 * name.length; // about, at this size
    if (x > left && x + width > right) {
      x = left;
      line += 1;
    }
    const place = { x, line };
    x += width + 17;
    return place;
  });
}

/** The value at the last time at or before `time`. */
export function valueAt(x: ArrayLike<number>, y: ArrayLike<number>, time: number): number {
  let low = -1;
  let high = x.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (x[middle]! <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? NaN : (y[low] ?? NaN);
}
