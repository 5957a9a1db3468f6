import type { BodyColouring } from '../scene3d/bodies_layer';
import type { ViewDirection } from '../scene3d/camera_rig';
import { type ContactColouring, type ContactMark, contactMarks } from '../scene3d/contacts_layer';
import type { Body } from '../wire/messages';
import { button, checkbox, element, row, select, setOptions, setPressed } from './dom';

export interface DisplaySettings {
  bodyColouring: BodyColouring;
  contactColouring: ContactColouring;
  marks: Record<ContactMark, boolean>;
  impulseFactor: number;
  onlySelected: boolean;
  seeThrough: boolean;
  edges: boolean;
  grid: boolean;
  joints: boolean;
}

export const defaultDisplay = (): DisplaySettings => ({
  bodyColouring: 'material',
  contactColouring: 'mode',
  marks: { points: false, normals: false, impulses: false, cones: false },
  impulseFactor: 1,
  onlySelected: false,
  seeThrough: true,
  edges: true,
  grid: true,
  joints: true,
});

export interface DisplayActions {
  changed: () => void;
  look: (direction: ViewDirection) => void;
  fit: () => void;
  projection: () => void;
  follow: (on: boolean) => void;
  measure: () => void;
  selectBody: (body: number) => void;
}

const markNames: Record<ContactMark, string> = {
  points: 'Points',
  normals: 'Normals',
  impulses: 'Impulse arrows',
  cones: 'Friction cones',
};

/** What is shown and how: camera, colours, contacts. */
export class DisplayPanel {
  private readonly bodySelect: HTMLSelectElement;
  private readonly followBox: ReturnType<typeof checkbox>;
  private readonly measureButton: HTMLButtonElement;
  private readonly projectionButton: HTMLButtonElement;
  private readonly markBoxes = new Map<ContactMark, HTMLInputElement>();
  private readonly bodyColouring: HTMLSelectElement;
  private readonly contactColouring: HTMLSelectElement;
  private readonly jointBox: ReturnType<typeof checkbox>;

  constructor(
    root: HTMLElement,
    private readonly settings: DisplaySettings,
    private readonly actions: DisplayActions,
  ) {
    this.bodySelect = select('Selected body', [], (value) => actions.selectBody(Number(value)), { id: 'body' });
    this.followBox = checkbox('Follow', false, actions.follow, { id: 'follow' });
    this.measureButton = button('Measure', 'Measure between two picks (M)', actions.measure, { id: 'measure', 'aria-pressed': 'false' });
    this.projectionButton = button('Orthographic', 'Perspective or orthographic (O)', actions.projection, { id: 'projection', 'aria-pressed': 'false' });
    this.bodyColouring = select(
      'Colour of bodies',
      [['material', 'material'], ['island', 'island'], ['speed', 'speed'], ['penetration', 'penetration']],
      (value) => this.change(() => (settings.bodyColouring = value as BodyColouring)),
      { id: 'body-colour' },
    );
    this.contactColouring = select(
      'Colour of contacts',
      [['mode', 'stick, slip, open'], ['residual', 'residual']],
      (value) => this.change(() => (settings.contactColouring = value as ContactColouring)),
      { id: 'contact-colour' },
    );
    this.jointBox = checkbox('Joints', settings.joints, (on) => this.change(() => (settings.joints = on)), { id: 'joints' });
    const look = (text: string, direction: ViewDirection) => button(text, `Look from the ${direction}`, () => actions.look(direction), { class: 'small' });
    const scale = element('input', { type: 'range', min: '-1.5', max: '1.5', step: '0.05', value: '0', id: 'impulse-scale', 'aria-label': 'Length of impulse arrows' });
    scale.addEventListener('input', () => this.change(() => (settings.impulseFactor = 10 ** Number(scale.value))));
    const group = (title: string, children: HTMLElement[]) =>
      element('details', { class: 'panel', open: '' }, [element('summary', {}, [title]), element('div', { class: 'panel-body' }, children)]);
    root.append(
      group('View', [
        element('div', { class: 'buttons' }, [
          look('¾', 'quarter'), look('Front', 'front'), look('Side', 'side'), look('Top', 'top'),
          button('Fit', 'Fit everything into the view (F)', actions.fit, { class: 'small', id: 'fit' }),
        ]),
        element('div', { class: 'buttons' }, [this.projectionButton, this.measureButton]),
        row('Body', this.bodySelect),
        row('Colour by', this.bodyColouring),
        element('div', { class: 'checks' }, [
          this.followBox.root,
          checkbox('Edges', settings.edges, (on) => this.change(() => (settings.edges = on)), { id: 'edges' }).root,
          checkbox('Grid', settings.grid, (on) => this.change(() => (settings.grid = on)), { id: 'grid' }).root,
          this.jointBox.root,
        ]),
      ]),
      group('Contacts', [
        element('div', { class: 'checks' }, contactMarks.map((mark) => {
          const box = checkbox(markNames[mark], settings.marks[mark], (on) => this.change(() => (settings.marks[mark] = on)), { 'data-mark': mark });
          this.markBoxes.set(mark, box.input);
          return box.root;
        })),
        row('Colour by', this.contactColouring, true),
        row('Arrows', scale),
        element('div', { class: 'checks' }, [
          checkbox('Through bodies', settings.seeThrough, (on) => this.change(() => (settings.seeThrough = on)), { id: 'see-through' }).root,
          checkbox('Selected body only', settings.onlySelected, (on) => this.change(() => (settings.onlySelected = on)), { id: 'only-selected' }).root,
        ]),
      ]),
    );
  }

  setBodies(bodies: Body[], joints: number): void {
    this.jointBox.root.hidden = joints === 0;
    setOptions(this.bodySelect, [['-1', 'none'], ...bodies.map((b, i) => [String(i), b.name] as const)]);
  }

  showSelected(body: number): void {
    this.bodySelect.value = String(body);
  }

  showFollow(on: boolean): void {
    this.followBox.input.checked = on;
  }

  showMeasuring(on: boolean): void {
    setPressed(this.measureButton, on);
  }

  showProjection(orthographic: boolean): void {
    setPressed(this.projectionButton, orthographic);
  }

  /** Brings the controls in line with settings that were changed from elsewhere. */
  refresh(): void {
    for (const [mark, input] of this.markBoxes) input.checked = this.settings.marks[mark];
    this.bodyColouring.value = this.settings.bodyColouring;
    this.contactColouring.value = this.settings.contactColouring;
  }

  private change(set: () => void): void {
    set();
    this.actions.changed();
  }
}
