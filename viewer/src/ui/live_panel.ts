import type { ErrorHeader, Settings, StateHeader, Vector3 } from '../wire/messages';
import { button, checkbox, element, row, select, setOptions, setPressed, setText } from './dom';
import { Refusal } from './refusal';

export interface LiveActions {
  reset: () => void;
  set: (settings: Settings) => void;
  shoot: () => void;
  dragging: (on: boolean) => void;
}

/** Why a text can't be the value of a field; empty when it can. */
type Rule = (value: number) => string;
const anyNumber: Rule = () => '';
const aboveZero: Rule = (value) => (value > 0 ? '' : 'must be above 0');

/** A field for a number that is sent when it was entered, and that shows the program's value otherwise. */
function numberField(label: string, id: string, send: (value: number) => void, refusal = new Refusal(id), rule = anyNumber) {
  const input = element('input', { type: 'text', inputmode: 'decimal', 'aria-label': label, id, autocomplete: 'off', spellcheck: 'false' });
  refusal.describe(input);
  let shown = '';
  input.addEventListener('change', () => {
    const text = input.value.trim();
    const value = Number(text.replace(',', '.'));
    const wrong = text === '' || !Number.isFinite(value) ? 'must be a number' : rule(value);
    input.setAttribute('aria-invalid', String(wrong !== ''));
    if (wrong !== '') {
      refusal.show(`“${text}”: ${wrong}`);
      return;
    }
    refusal.sent();
    send(value);
  });
  // What was entered is shown when the program says that it holds.
  input.addEventListener('blur', () => {
    input.value = shown;
    input.removeAttribute('aria-invalid');
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') input.value = shown;
    if (event.key === 'Enter' || event.key === 'Escape') input.blur();
  });
  const show = (value: number | null) => {
    const text = value === null ? '' : String(Number(value.toPrecision(12)));
    if (text === shown && input.value === text) return;
    shown = text;
    if (document.activeElement !== input) input.value = text;
  };
  return { input, show, refusal };
}

/** A field with its name, and below it the place for a reason. */
function fieldRow(name: string, field: ReturnType<typeof numberField>): HTMLElement[] {
  return [row(name, field.input), field.refusal.root];
}

/** The settings of a live run. */
export class LivePanel {
  readonly root: HTMLDetailsElement;
  shotSize = 0.05;
  shotSpeed = 5;
  private readonly solvers: HTMLSelectElement[];
  private readonly solverRows: HTMLElement[];
  private readonly tolerance;
  private readonly step;
  private readonly mu;
  private readonly gravity: ReturnType<typeof numberField>[];
  private readonly size: ReturnType<typeof numberField>;
  private readonly speed: ReturnType<typeof numberField>;
  private readonly gravityRefusal = new Refusal('gravity');
  private readonly solverRefusals = [0, 1].map((run) => new Refusal(`solver-${run}`));
  /** by the field of the message whose value was refused; solvers have one for each run */
  private readonly refusals: Record<string, Refusal>;
  private readonly controls: HTMLFieldSetElement;
  /** of each run, as the program last told */
  private readonly states: StateHeader[] = [];
  private readonly ratio = element('output', { id: 'ratio' });
  private readonly dragButton: HTMLButtonElement;
  private readonly ownMu: ReturnType<typeof checkbox>;
  private lastGravity: Vector3 = [0, 0, -9.81];
  private lastMu = 0.5;

  constructor(root: HTMLElement, actions: LiveActions) {
    const { set } = { set: (settings: Settings) => actions.set(settings) };
    this.solvers = [0, 1].map((run) =>
      select(`Solver${run ? ' of the second run' : ''}`, [], (solver) => {
        this.solverRefusals[run]!.sent();
        set(this.runs > 1 ? { run, solver } : { solver });
      }, { id: `solver-${run}` }),
    );
    this.solvers.forEach((box, run) => this.solverRefusals[run]!.describe(box));
    this.solverRows = this.solvers.map((s, i) => row(i ? 'Right' : 'Solver', s, true));
    this.tolerance = numberField('Tolerance', 'tolerance', (tolerance) => set({ tolerance }));
    this.step = numberField('Step size in milliseconds', 'step-size', (ms) => set({ step: ms / 1000 }));
    this.gravity = [0, 1, 2].map((i) =>
      numberField(`Gravity along ${'xyz'[i]}`, `gravity-${'xyz'[i]}`, (value) => {
        const gravity = [...this.lastGravity] as Vector3;
        gravity[i] = value;
        this.lastGravity = gravity;
        set({ gravity });
      }, this.gravityRefusal),
    );
    this.mu = numberField('Coefficient of friction', 'mu', (mu) => {
      this.ownMu.input.checked = false;
      set({ mu });
    });
    this.ownMu = checkbox("scene's own", true, (own) => {
      this.mu.refusal.sent();
      set({ mu: own ? null : this.lastMu });
    }, { id: 'own-mu' });
    this.size = numberField('Edge of the shot block in metres', 'shot-size', (v) => this.size.show((this.shotSize = v)), undefined, aboveZero);
    this.speed = numberField('Speed of the shot block', 'shot-speed', (v) => this.speed.show((this.shotSpeed = v)), undefined, aboveZero);
    this.refusals = {
      tolerance: this.tolerance.refusal, step: this.step.refusal, gravity: this.gravityRefusal, mu: this.mu.refusal,
      size: this.size.refusal, velocity: this.speed.refusal,
    };
    this.dragButton = button('Pull bodies', 'Pull bodies by dragging, without Shift', () => {
      const on = this.dragButton.getAttribute('aria-pressed') !== 'true';
      setPressed(this.dragButton, on);
      actions.dragging(on);
    }, { id: 'drag-tool', 'aria-pressed': 'false' });
    this.controls = element('fieldset', { class: 'panel-body' }, [
      element('div', { class: 'buttons' }, [
        button('Reset', 'Start again (R)', actions.reset, { id: 'reset' }),
        button('Shoot', 'Shoot a block along the view (B)', actions.shoot, { id: 'shoot' }),
        this.dragButton,
      ]),
      row('Real time', this.ratio),
      ...this.solverRows.flatMap((each, run) => [each, this.solverRefusals[run]!.root]),
      ...fieldRow('Tolerance', this.tolerance),
      ...fieldRow('Step (ms)', this.step),
      element('div', { class: 'row' }, [
        element('span', { class: 'row-name' }, ['Gravity']),
        element('span', { class: 'triple' }, this.gravity.map((g) => g.input)),
      ]),
      this.gravityRefusal.root,
      ...fieldRow('Friction mu', this.mu),
      element('div', { class: 'checks' }, [this.ownMu.root]),
      ...fieldRow('Block (m)', this.size),
      ...fieldRow('Shot (m/s)', this.speed),
    ]);
    this.root = element('details', { class: 'panel', open: '', id: 'live-panel' }, [element('summary', {}, ['Simulation']), this.controls]);
    this.root.hidden = true;
    root.prepend(this.root);
    for (const box of this.solvers) box.addEventListener('blur', () => this.refresh());
  }

  private runs = 1;

  setUp(solvers: string[], runs: string[], shotSize: number, shotSpeed: number): void {
    this.runs = runs.length;
    this.solvers.forEach((s, i) => {
      const own = runs[i];
      setOptions(s, (own && !solvers.includes(own) ? [own, ...solvers] : solvers).map((name) => [name, name] as const));
      if (own) s.value = own;
      this.solverRows[i]!.hidden = i >= runs.length;
    });
    setText(this.solverRows[0]!.firstElementChild!, runs.length > 1 ? 'Left' : 'Solver');
    this.shotSize = shotSize;
    this.shotSpeed = shotSpeed;
    this.size.show(shotSize);
    this.speed.show(shotSpeed);
    for (const refusal of this.allRefusals()) refusal.clear();
  }

  setConnected(connected: boolean): void {
    this.controls.disabled = !connected;
    if (!connected) setText(this.ratio, 'not connected');
  }

  /** Shows what holds again, and beside its field why a value was refused. Returns whether that can be seen. */
  refuse(error: ErrorHeader): boolean {
    this.refresh();
    const { field = '' } = error;
    const refusal = field === 'solver' ? this.solverRefusals[error.run ?? 0] : this.refusals[field];
    return refusal?.show(error.message) ?? false;
  }

  private allRefusals(): Refusal[] {
    return [...Object.values(this.refusals), ...this.solverRefusals];
  }

  private refresh(): void {
    this.states.forEach((state) => this.showState(state));
  }

  /** What the program tells of itself. */
  show(state: StateHeader): void {
    for (const refusal of this.allRefusals()) refusal.settled();
    this.showState(state);
  }

  private showState(state: StateHeader): void {
    this.states[state.run ?? 0] = state;
    const box = this.solvers[state.run ?? 0];
    if (box && document.activeElement !== box && state.solver) box.value = state.solver;
    this.tolerance.show(state.tolerance);
    this.step.show(1000 * state.step);
    this.lastGravity = [...state.gravity];
    state.gravity.forEach((g, i) => this.gravity[i]!.show(g));
    this.mu.show(state.mu);
    if (state.mu !== null) this.lastMu = state.mu;
    this.ownMu.input.checked = state.mu === null;
    setText(this.ratio, `${state.ratio.toFixed(2)} ×`);
  }
}
