import { type Contacts, type Frame, nodeStarts, placeOf } from '../data/frame';
import { numberText } from '../plots/axis';
import { modeColours, modeNames } from '../scene3d/palette';
import type { Body, Joint } from '../wire/messages';
import { button, element, setText } from './dom';

export interface InspectorActions {
  close: () => void;
  select: (body: number) => void;
}

interface ContactNumbers {
  index: number;
  other: number;
  gap: number;
  normalImpulse: number;
  tangentialImpulse: number;
  slipSpeed: number;
  mu: number;
  mode: number;
  residual: number;
}

/** The numbers of one contact, with impulse and velocity split along the normal. */
export function contactNumbers(frame: Frame, k: number, body: number): ContactNumbers | null {
  const c = frame.contacts;
  if (!c) return null;
  const split = (v: ArrayLike<number>) => {
    let along = 0;
    for (let i = 0; i < 3; ++i) along += v[3 * k + i]! * c.normal[3 * k + i]!;
    let across = 0;
    for (let i = 0; i < 3; ++i) across += (v[3 * k + i]! - along * c.normal[3 * k + i]!) ** 2;
    return [along, Math.sqrt(across)] as const;
  };
  const [normalImpulse, tangentialImpulse] = split(c.impulse);
  const [, slipSpeed] = split(c.velocity);
  return {
    index: k,
    other: c.bodyA[k] === body ? c.bodyB[k]! : c.bodyA[k]!,
    gap: c.gap[k]!,
    normalImpulse,
    tangentialImpulse,
    slipSpeed,
    mu: c.mu[k]!,
    mode: c.mode[k]!,
    residual: c.residual[k]!,
  };
}

const jointColumns = ['Joint', 'Type', 'Other body', 'Off by (m)', 'Off by (rad)', 'Coordinate', 'Impulse (N s)', 'Torque (N m s)', 'Residual'];
// The most asked for first: a phone shows four or five without scrolling.
const columns = ['Other body', 'Mode', 'Normal (N s)', 'Tangential (N s)', 'Slip (m/s)', 'Gap (m)', 'mu', 'Residual'];
const mostRows = 200;

function tableHead(names: string[]): HTMLElement {
  return element('thead', {}, [element('tr', {}, names.map((name) => element('th', { scope: 'col' }, [name])))]);
}

/** A selected body with its state, its joints and its contacts. Rows are reused, so that it follows a running simulation without flicker. */
export class Inspector {
  private readonly name = element('h2');
  /** where there are two */
  private readonly run = element('p', { class: 'inspected-run' });
  private readonly facts = element('dl', { class: 'facts' });
  private readonly values = new Map<string, HTMLElement>();
  private readonly rows: { root: HTMLTableRowElement; cells: HTMLTableCellElement[]; other: HTMLButtonElement; otherBody: number }[] = [];
  private readonly table = element('tbody');
  private readonly count = element('p', { class: 'contact-count' });
  private readonly contactPart = element('table', { class: 'contacts' }, [tableHead(columns), this.table]);
  private readonly jointTable = element('tbody');
  private readonly jointPart = element('table', { class: 'contacts joints', hidden: '' }, [tableHead(jointColumns), this.jointTable]);
  private readonly jointRows: { root: HTMLTableRowElement; cells: HTMLTableCellElement[]; other: HTMLButtonElement; otherBody: number }[] = [];
  private bodies: Body[] = [];
  private starts = new Int32Array(0);
  /** per shape of all bodies, the node that it is at; -1: none */
  private shapeNodes = new Int32Array(0);
  private joints: Joint[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly actions: InspectorActions,
  ) {
    for (const name of ['mass', 'kind', 'position', 'velocity', 'speed', 'spin', 'node']) {
      const value = element('dd', { class: name });
      this.values.set(name, value);
      this.facts.append(element('div', { class: 'fact' }, [element('dt', {}, [name]), value]));
    }
    root.append(
      element('div', { class: 'inspector-head' }, [
        this.name,
        this.run,
        this.count,
        button('×', 'Close (Escape)', actions.close, { class: 'quiet', id: 'close-inspector' }),
      ]),
      this.facts,
      element('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Joints and contacts of the body' }, [
        this.jointPart,
        this.contactPart,
      ]),
    );
  }

  setScene(bodies: Body[], joints: Joint[]): void {
    this.bodies = bodies;
    this.joints = joints;
    this.starts = nodeStarts(bodies);
    this.shapeNodes = Int32Array.from(bodies.flatMap((b) => b.shapes), (shape) => shape.node ?? -1);
  }

  /** A body as one of the runs has it; of a body with nodes, one of them with its contacts, or all (-1). */
  showOf(runs: readonly { solver: string; shown: Frame | null }[], run: number, body: number, node = -1): void {
    setText(this.run, runs.length > 1 ? (runs[run]?.solver ?? '') : '');
    this.show(runs[run]?.shown ?? null, body, node);
  }

  private show(frame: Frame | null, body: number, node: number): void {
    const info = this.bodies[body];
    this.root.hidden = !info;
    if (!info || !frame || body >= frame.bodies) return;
    const vector = (v: ArrayLike<number>) => [0, 1, 2].map((i) => numberText(v[3 * body + i]!)).join(', ');
    const size = (v: ArrayLike<number>) => Math.hypot(v[3 * body]!, v[3 * body + 1]!, v[3 * body + 2]!);
    setText(this.name, info.name);
    const place = node < 0 ? null : placeOf(frame, this.starts, body, node);
    this.value('kind', info.nodes ? `${info.kind} of ${info.nodes} nodes` : '');
    this.value('node', place ? `${node} at ${place.map((v) => numberText(v)).join(', ')} m` : '');
    this.value('mass', info.mobility === 'dynamic' ? `${numberText(info.mass)} kg` : info.mobility);
    this.value('position', `${vector(frame.position)} m`);
    this.value('velocity', `${vector(frame.linearVelocity)} m/s`);
    this.value('speed', `${numberText(size(frame.linearVelocity))} m/s`);
    this.value('spin', info.nodes ? '' : `${numberText(size(frame.angularVelocity))} rad/s`);
    this.showJoints(frame, body);
    this.showContacts(frame, body, node);
  }

  private showJoints(frame: Frame, body: number): void {
    let used = 0;
    this.joints.forEach((joint, j) => {
      if ((joint.first !== body && joint.second !== body) || used >= mostRows) return;
      const row = (this.jointRows[used] ??= this.makeJointRow());
      row.root.hidden = false;
      row.otherBody = joint.first === body ? joint.second : joint.first;
      setText(row.other, this.bodies[row.otherBody]?.name ?? 'world');
      row.other.disabled = row.otherBody < 0;
      setText(row.cells[0]!, joint.name);
      setText(row.cells[1]!, joint.type);
      const rows = frame.joints;
      const size = (v: ArrayLike<number>) => Math.hypot(v[3 * j]!, v[3 * j + 1]!, v[3 * j + 2]!);
      const coordinates = joint.coordinate_units.map((unit, c) => `${numberText(rows?.coordinate[2 * j + c] ?? NaN)} ${unit}`);
      const values = rows ? [rows.violation[j]!, rows.angleViolation[j]!, NaN, size(rows.impulse), size(rows.torque), rows.residual[j]!] : [];
      values.forEach((v, i) => setText(row.cells[i + 3]!, i === 2 ? coordinates.join(', ') || '–' : numberText(v, 3)));
      ++used;
    });
    for (let i = used; i < this.jointRows.length; ++i) this.jointRows[i]!.root.hidden = true;
    this.jointPart.hidden = used === 0;
  }

  private makeJointRow() {
    const other = button('', 'Select this body', () => this.actions.select(row.otherBody), { class: 'link' });
    other.removeAttribute('aria-label');
    const cells = jointColumns.map(() => element('td'));
    cells[2]!.append(other);
    const root = element('tr', {}, cells);
    this.jointTable.append(root);
    const row = { root, cells, other, otherBody: -1 };
    return row;
  }

  private showContacts(frame: Frame, body: number, node: number): void {
    const c = frame.contacts;
    let used = 0;
    let all = 0;
    for (let k = 0; c && k < c.count; ++k) {
      if (!this.touches(c, k, body, node)) continue;
      ++all;
      if (used >= mostRows) continue;
      const numbers = contactNumbers(frame, k, body)!;
      const row = (this.rows[used] ??= this.makeRow());
      row.root.hidden = false;
      row.otherBody = numbers.other;
      setText(row.other, this.bodies[numbers.other]?.name ?? `body ${numbers.other}`);
      setText(row.cells[1]!, modeNames[numbers.mode] ?? '?');
      row.cells[1]!.style.setProperty('--mode', modeColours[numbers.mode] ?? modeColours[0]);
      const values = [numbers.normalImpulse, numbers.tangentialImpulse, numbers.slipSpeed, numbers.gap, numbers.mu, numbers.residual];
      values.forEach((v, i) => setText(row.cells[i + 2]!, numberText(v, 3)));
      ++used;
    }
    for (let i = used; i < this.rows.length; ++i) this.rows[i]!.root.hidden = true;
    // Under a list of joints an empty one says nothing.
    this.contactPart.hidden = used === 0 && !this.jointPart.hidden;
    const noun = all === 1 ? 'contact' : 'contacts';
    setText(this.count, c ? `${all} ${noun}${node < 0 ? '' : ' of the node'}${all > used ? `, first ${used} listed` : ''}` : 'loading contacts…');
  }

  private touches(c: Contacts, k: number, body: number, node: number): boolean {
    const at = (of: number | undefined, shape: number | undefined) => of === body && (node < 0 || this.shapeNodes[shape ?? -1] === node);
    return at(c.bodyA[k], c.shapeA[k]) || at(c.bodyB[k], c.shapeB[k]);
  }

  /** An empty text hides the fact. */
  private value(name: string, text: string): void {
    const value = this.values.get(name)!;
    setText(value, text);
    value.parentElement!.hidden = text === '';
  }

  private makeRow() {
    const other = button('', 'Select this body', () => this.actions.select(row.otherBody), { class: 'link' });
    other.removeAttribute('aria-label');
    const cells = columns.map((_, i) => element('td', i === 1 ? { class: 'mode' } : {}));
    cells[0]!.append(other);
    const root = element('tr', {}, cells);
    this.table.append(root);
    const row = { root, cells, other, otherBody: -1 };
    return row;
  }
}
