import { coordinateOf, coordinates, coordinateUnit, type Coordinate } from '../data/track';
import type { Run, Track } from '../data/run';
import type { Theme } from '../scene3d/palette';
import { element, select, setOptions } from '../ui/dom';
import type { PlotColours, PlotContent, Series } from './draw';
import { Plot, type PlotHost } from './plot';

export interface PlotSource {
  runs(): Run[];
  tolerance(): number;
  initialEnergy(): number;
  tracks(): (Track | null)[];
  bodyName(body: number): string;
  theme(): Theme;
  /** the part of the time that is plotted */
  window(): [number, number];
  seek(time: number): void;
  fileName(): string;
  chooseBody(body: number): void;
}

/** What is missing from the energy at the start beside the work that was done from outside; null where that is not known. */
export function dissipated(initial: number, total: Float64Array, work: Float64Array): Float64Array | null {
  if (work.length > 0 && work.every(Number.isNaN)) return null;
  return total.map((v, i) => initial + work[i]! - v);
}

/** All plots beside the view, linked by the time cursor. */
export class PlotPanel implements PlotHost {
  readonly plots: Plot[];
  private readonly bodySelect: HTMLSelectElement;
  private coordinate: Coordinate = 'z';
  private nextToDraw = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly source: PlotSource,
  ) {
    this.bodySelect = select('Body to plot', [], (value) => source.chooseBody(Number(value)), { id: 'track-body' });
    const coordinateSelect = select(
      'Coordinate to plot',
      coordinates.map((c) => [c, coordinateUnit[c] ? `${c} (${coordinateUnit[c]})` : c] as const),
      (value) => {
        this.coordinate = value as Coordinate;
        this.redrawAll();
      },
      { id: 'track-coordinate' },
    );
    coordinateSelect.value = this.coordinate;
    const chooser = element('div', { class: 'plot-choice' }, [this.bodySelect, coordinateSelect]);
    const plot = (id: string, title: string, make: () => PlotContent | null, extra: HTMLElement | null = null) =>
      new Plot(id, title, this, extra, make);
    this.plots = [
      plot('residual', 'Residual', () => this.column('Residual', '', 'residual', 1, true)),
      plot('energy', 'Energy', () => this.energy()),
      plot('coordinate', 'Coordinate', () => this.track(), chooser),
      plot('iterations', 'Iterations', () => this.column('Iterations', '', 'iterations')),
      plot('contacts', 'Contacts', () => this.column('Contacts', '', 'contacts')),
      plot('solve-time', 'Solve time', () => this.column('Solve time', 'ms', 'seconds_solve', 1000)),
      plot('penetration', 'Penetration', () => this.column('Penetration', 'm', 'penetration', 1, true)),
    ];
    this.root.append(...this.plots.map((p) => p.root));
    new ResizeObserver(() => this.redrawAll()).observe(root);
  }

  setBodies(names: string[]): void {
    setOptions(this.bodySelect, names.map((name, i) => [String(i), name] as const));
  }

  showBody(body: number): void {
    this.bodySelect.value = String(body);
  }

  find(id: string): Plot | undefined {
    return this.plots.find((p) => p.id === id);
  }

  redrawAll(): void {
    for (const plot of this.plots) plot.redraw();
  }

  /** One plot per call: a live run draws them in turn, so that no picture waits for all of them. */
  redrawNext(): void {
    this.plots[this.nextToDraw]?.redraw();
    this.nextToDraw = (this.nextToDraw + 1) % this.plots.length;
  }

  setTime(time: number, withReadings: boolean): void {
    for (const plot of this.plots) plot.setTime(time, withReadings);
  }

  range(): [number, number] {
    return this.source.window();
  }

  hasSteps(): boolean {
    return this.source.runs().some((run) => run.steps.count > 0);
  }

  seek(time: number): void {
    this.source.seek(time);
  }

  fileName(): string {
    return this.source.fileName();
  }

  colours(): PlotColours {
    const theme = this.source.theme();
    return {
      background: theme.plotBackground,
      text: theme.text,
      muted: theme.grid,
      grid: theme.faint,
      threshold: theme.threshold,
    };
  }

  private seriesName(run: Run, name: string): string {
    return this.source.runs().length > 1 ? (name ? `${run.solver}: ${name}` : run.solver) : name;
  }

  private colour(i: number): string {
    const { series } = this.source.theme();
    return series[i % series.length]!;
  }

  /** The rows of the plotted time. */
  private rows(run: Run): [number, number] {
    const [low, high] = this.source.window();
    return [Math.max(0, run.steps.rowAt(low)), run.steps.rowAt(high) + 1];
  }

  private marks(): number[] {
    const runs = this.source.runs();
    return runs.length === 1 ? runs[0]!.steps.uncertified.time : runs.flatMap((r) => r.steps.uncertified.time).sort((a, b) => a - b);
  }

  private column(title: string, unit: string, name: string, factor = 1, log = false): PlotContent | null {
    const series: Series[] = [];
    for (const run of this.source.runs()) {
      const x = run.steps.values('time');
      const y = run.steps.values(name);
      if (!x || !y) continue;
      const [from, to] = this.rows(run);
      const part = y.subarray(from, to);
      series.push({
        name: this.source.runs().length > 1 ? run.solver : title.toLowerCase(),
        unit,
        x: x.subarray(from, to),
        y: factor === 1 ? part : part.map((v) => v * factor),
        colour: this.colour(run.number),
      });
    }
    if (series.length === 0) return null;
    const content: PlotContent = { title, unit, log, series, marks: this.marks() };
    if (name === 'residual') content.threshold = { value: this.source.tolerance(), label: 'tolerance' };
    return content;
  }

  private energy(): PlotContent | null {
    const series: Series[] = [];
    let note = '';
    const runs = this.source.runs();
    for (const run of runs) {
      const x = run.steps.values('time');
      const kinetic = run.steps.values('kinetic');
      const potential = run.steps.values('potential');
      if (!x || !kinetic || !potential) continue;
      const [from, to] = this.rows(run);
      const times = x.subarray(from, to);
      const k = kinetic.subarray(from, to);
      const p = potential.subarray(from, to);
      const total = k.map((v, i) => v + p[i]!);
      const add = (name: string, y: Float64Array, colour: number, dash?: string) =>
        series.push({
          name: this.seriesName(run, name), unit: 'J', x: times, y, colour: this.colour(colour), ...(dash ? { dash } : {}),
        });
      if (runs.length === 1) {
        add('kinetic', k, 0);
        add('potential', p, 2);
      }
      const many = runs.length > 1;
      add('total', total, many ? run.number : 1);
      const work = run.steps.values('work')?.subarray(from, to);
      const lost = work && dissipated(this.source.initialEnergy(), total, work);
      if (lost) add('dissipated', lost, many ? run.number : 3, many ? '4 3' : undefined);
      else note = 'Dissipated energy is unknown: the recording does not hold the work of motors and kinematic bodies.';
    }
    return series.length ? { title: 'Energy', unit: 'J', log: false, series, marks: this.marks(), ...(note ? { note } : {}) } : null;
  }

  private track(): PlotContent | null {
    const unit = coordinateUnit[this.coordinate];
    const series: Series[] = [];
    const runs = this.source.runs();
    this.source.tracks().forEach((track, i) => {
      const run = runs[i];
      if (!track || !run) return;
      series.push({
        name: this.seriesName(run, `${this.source.bodyName(track.body)}: ${this.coordinate}`),
        unit,
        x: Float64Array.from(track.time),
        y: coordinateOf(track, this.coordinate),
        colour: this.colour(i),
      });
    });
    return { title: 'Coordinate', unit, log: false, series, marks: this.marks() };
  }
}
