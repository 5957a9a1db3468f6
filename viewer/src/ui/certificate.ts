import type { Run } from '../data/run';
import { numberText } from '../plots/axis';
import { element, setText } from './dom';

const statusNames = ['converged', 'iteration limit', 'time limit', 'infeasible', 'unsupported', 'failed'];

/** pixels below which a view has no room for large letters */
const narrowView = 420;

/** steps of a live run that a reason is good for: the next one is on its way when the step is shown */
const reasonReach = 1000;

const diagnosis: [column: string, text: string, value: (number: number) => string][] = [
  ['subspace_angle', 'subspace angle (rad)', numberText],
  ['painleve_ratio', 'Painlevé ratio', numberText],
  ['rank', 'rank', numberText],
  ['rows', 'rows', numberText],
  ['pointed', 'friction cone', (pointed) => (pointed ? 'pointed' : 'not pointed: wedged')],
];

export interface StepVerdict {
  certified: boolean;
  row: number;
  residual: number;
}

/** The verdict on the steps that led to the shown frame: its worst one counts. `after`: time of the frame before. */
export function verdictAt(run: Run, after: number, time: number): StepVerdict | null {
  const { steps } = run;
  const last = steps.rowAt(time);
  if (last < 0) return null;
  const first = Math.min(last, Math.max(0, steps.rowAt(after) + 1));
  let worst = last;
  let certified = true;
  for (let row = first; row <= last; ++row) {
    if (steps.at('certified', row) === 0) certified = false;
    if (steps.at('residual', row) > steps.at('residual', worst)) worst = row;
  }
  return { certified, row: worst, residual: steps.at('residual', worst) };
}

/** Says on the picture itself that the shown step is not certified, why, and what the diagnosis found. */
export class Banner {
  private readonly what = element('span');
  private readonly residual = element('span', { class: 'number' });
  private readonly tolerance = element('span', { class: 'number' });
  private readonly reason = element('p');
  private readonly facts = element('p', { class: 'diagnosis' });

  constructor(private readonly root: HTMLElement) {
    root.append(element('strong', {}, [this.what, this.residual, ', tolerance ', this.tolerance]), this.reason, this.facts);
  }

  hide(): void {
    this.root.hidden = true;
  }

  /** Over one of several views: left, top and width in pixels. */
  place(left: number, top: number, width: number): void {
    const { style } = this.root;
    style.setProperty('--view-left', `${left}px`);
    style.setProperty('--view-top', `${top}px`);
    style.setProperty('--view-width', `${width}px`);
    this.root.classList.toggle('narrow', width < narrowView);
  }

  show(run: Run, verdict: StepVerdict, tolerance: number, naming: boolean): void {
    const { steps } = run;
    const step = steps.at('step', verdict.row);
    setText(this.what, `${naming ? `${run.solver}: step` : 'Step'} ${step} is not certified: residual `);
    setText(this.residual, numberText(verdict.residual, 3));
    setText(this.tolerance, numberText(tolerance, 3));
    const status = statusNames[steps.at('status', verdict.row)] ?? '';
    setText(this.reason, this.reasonNear(run, step) ?? (status ? `Solver: ${status}.` : ''));
    const found = diagnosis
      .filter(([column]) => Number.isFinite(steps.at(column, verdict.row)))
      .map(([column, text, value]) => `${text} ${value(steps.at(column, verdict.row))}`);
    setText(this.facts, found.length ? `Diagnosis: ${found.join(' · ')}` : 'No diagnosis: run with --diagnose to get one for each step.');
    this.root.hidden = false;
  }

  /**
   * With a stride a row stands for several steps: any of them may be the one that has a reason. In a live run the last reason
   * that came is told with its step until this one's is here.
   */
  private reasonNear(run: Run, step: number): string | null {
    const reach = run.live ? reasonReach : run.steps.stride;
    for (let s = step; s > step - Math.max(1, reach); --s) {
      const reason = run.reasons.get(s);
      if (reason) return run.live && s !== step ? `Step ${s}: ${reason}` : reason;
    }
    return null;
  }
}
