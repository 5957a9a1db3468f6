import type { PlotPanel } from '../plots/panel';
import { lengthLabel } from '../scene3d/grid';
import type { Stage } from '../scene3d/stage';
import { setText } from '../ui/dom';
import type { Inspector } from '../ui/inspector';
import type { Layout } from '../ui/layout';
import { showLegend } from '../ui/legend';
import type { Timeline } from '../ui/timeline';
import type { Measuring } from './measuring';
import type { Session } from './session';
import type { VerdictDisplay } from './verdict_display';

/** ms between two writings of numbers, and between two drawings of a live run's plots (longer while a hand waits) */
const readingInterval = 100;
const plotInterval = 45;
const plotIntervalPulling = 200;

export interface ReadingParts {
  stage: Stage;
  layout: Layout;
  timeline: Timeline;
  plots: PlotPanel;
  inspector: Inspector;
  verdict: VerdictDisplay;
  measuring: Measuring;
  /** colour of the timeline's marks */
  markColour: () => string;
}

/** Everything but the pictures: cheap parts at once, dear ones a few times per second. */
export class Readings {
  private lastReadings = 0;
  private lastPlots = 0;
  /** of a live run, one after the other */
  private plotsToDraw = 0;
  private plotted = '';
  private written = '';

  constructor(
    private readonly session: Session,
    private readonly parts: ReadingParts,
  ) {}

  /** `moved`: the picture changed; `bodiesMoved`: what it shows did. */
  update(now: number, moved: boolean, bodiesMoved: boolean, pulling: boolean): void {
    if (bodiesMoved && this.parts.measuring.measures) this.parts.measuring.update();
    this.parts.timeline.showPlaying(this.session.isPlaying());
    const versions = this.versions();
    this.updatePlots(now, versions, pulling);
    this.updateNumbers(now, versions);
    if (!moved) return;
    this.showScale();
    if (this.session.runs.length > 1) this.placeRunLabels();
  }

  placeRunLabels(): void {
    [...this.parts.layout.viewLabels.children].forEach((label, i) => {
      const [x, y, w, h] = this.parts.stage.viewport(i);
      Object.assign((label as HTMLElement).style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
    });
  }

  private versions(): string {
    const { runs, playback } = this.session;
    return runs.map((r) => `${r.steps.version}`).join(' ') + playback.end + runs[0]!.solver;
  }

  private updatePlots(now: number, versions: string, pulling: boolean): void {
    const { session } = this;
    const changed = session.plotsStale || versions !== this.plotted;
    if (changed) {
      this.plotted = versions;
      session.plotsStale = false;
    }
    if (session.live) {
      const goesOn = session.runs[0]!.live!.count > 0 && !session.state?.paused;
      if (changed || goesOn) this.plotsToDraw = this.parts.plots.plots.length;
      if (this.plotsToDraw === 0 || now - this.lastPlots <= (pulling ? plotIntervalPulling : plotInterval)) return;
      this.plotsToDraw -= 1;
      this.lastPlots = now;
      this.parts.plots.redrawNext();
    } else if (changed) {
      this.parts.plots.redrawAll();
      session.readingsStale = true;
    }
  }

  private updateNumbers(now: number, versions: string): void {
    const { session } = this;
    const run = session.runs[0]!;
    const { first, count } = run.frames;
    const time = session.currentTime();
    const shown = session.runs.map((r) => `${r.shown?.index} ${r.shown?.contacts !== null}`).join(' ');
    const key = `${shown} ${time} ${count} ${first} ${versions}`;
    if (key === this.written && !session.readingsStale) return;
    const { timeline, plots, inspector, verdict } = this.parts;
    const at = (session.pinned !== null && !session.live ? session.pinned : (run.shown?.index ?? first)) - first;
    const due = now - this.lastReadings > readingInterval;
    timeline.show(at, count, time, run.frames.endTime(), `step ${run.shown?.step ?? 0} · frame ${at + 1}/${count}`);
    plots.setTime(time, due);
    if (!due && session.isPlaying()) return;
    this.lastReadings = now;
    this.written = key;
    session.readingsStale = false;
    plots.setTime(time, true);
    verdict.show(time);
    inspector.showOf(session.runs, session.selectedRun, session.selected, session.selectedNode);
    this.showMarks();
    if (session.display.bodyColouring === 'speed') showLegend(this.parts.layout.legend, session.display, this.parts.stage.views[0]!.bodies);
  }

  private showMarks(): void {
    const { runs } = this.session;
    const { frames } = runs[0]!;
    const times = runs.length === 1 ? runs[0]!.steps.uncertified.time : runs.flatMap((r) => r.steps.uncertified.time).sort((a, b) => a - b);
    const version = runs.map((r) => r.steps.version).join(' ');
    this.parts.timeline.showMarks(times, frames.startTime(), frames.endTime(), this.parts.markColour(), version);
  }

  private showScale(): void {
    const { stage, layout, measuring } = this.parts;
    const { spacing } = stage.views[0]!.grid;
    if (!(spacing > 0)) return;
    setText(layout.scaleLabel, lengthLabel(spacing));
    layout.scaleBar.style.width = `${(spacing * stage.pixelsPerMetre()).toFixed(1)}px`;
    measuring.placeLabel();
  }
}
