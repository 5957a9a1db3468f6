import { Vector3 } from 'three';
import { numberText } from '../plots/axis';
import type { Pick, Stage } from '../scene3d/stage';
import { setText } from '../ui/dom';
import { type BodyPoint, pointInBody, pointOfBody } from './body_points';

/** The distance between two points of bodies, picked in one view. It follows the bodies. */
export class Measuring {
  on = false;
  private view = 0;
  private readonly points: BodyPoint[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly label: HTMLElement,
  ) {}

  toggle(): void {
    this.on = !this.on;
    this.clear();
  }

  clear(): void {
    this.points.length = 0;
    this.update();
  }

  add(pick: Pick): void {
    const point = pointInBody(this.stage, pick.view, pick.body, pick.node, pick.point);
    if (point) this.addPoint(pick.view, point);
  }

  addCentre(view: number, body: number): void {
    this.addPoint(view, { body, node: -1, local: new Vector3() });
  }

  /** To be called when bodies moved. */
  update(): void {
    const ends = this.ends();
    this.stage.views.forEach((view, i) => view.showMeasure(i === this.view ? ends : []));
    const [a, b] = ends;
    this.label.hidden = !b;
    if (a && b) {
      const d = b.clone().sub(a);
      setText(this.label, `${numberText(d.length(), 5)} m  (Δx ${numberText(d.x)}, Δy ${numberText(d.y)}, Δz ${numberText(d.z)})`);
      this.placeLabel();
    }
    this.stage.dirty = true;
  }

  get measures(): boolean {
    return this.points.length > 0;
  }

  /** Over the middle of the line, but whole and within its view. */
  placeLabel(): void {
    const [a, b] = this.ends();
    if (!a || !b) return;
    const at = this.stage.toPage(a.clone().add(b).multiplyScalar(0.5), this.view);
    const box = this.stage.canvas.getBoundingClientRect();
    const [left, top, width, height] = this.stage.viewport(this.view);
    const { label } = this;
    label.style.maxWidth = `${width - 8}px`;
    const within = (x: number, size: number, from: number, room: number) => Math.max(from + 4, Math.min(from + room - size - 4, x));
    const x = within(at.x - box.left - label.offsetWidth / 2, label.offsetWidth, left, width);
    const y = within(at.y - box.top - 1.4 * label.offsetHeight, label.offsetHeight, top, height);
    label.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px)`;
  }

  private addPoint(view: number, point: BodyPoint): void {
    if (this.points.length >= 2 || view !== this.view) this.points.length = 0;
    this.view = view;
    this.points.push(point);
    this.update();
  }

  private ends(): Vector3[] {
    return this.points.flatMap((point) => pointOfBody(this.stage, this.view, point) ?? []);
  }
}
