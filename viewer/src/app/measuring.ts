import type { Vector3 } from 'three';
import { numberText } from '../plots/axis';
import type { Stage } from '../scene3d/stage';
import { setText } from '../ui/dom';

/** The distance between two picked points. */
export class Measuring {
  on = false;
  private readonly points: Vector3[] = [];

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
    this.show();
  }

  add(point: Vector3): void {
    if (this.points.length >= 2) this.points.length = 0;
    this.points.push(point.clone());
    this.show();
  }

  /** Over the middle of the line, but whole. */
  placeLabel(): void {
    const [a, b] = this.points;
    if (!a || !b) return;
    const at = this.stage.toPage(a.clone().add(b).multiplyScalar(0.5));
    const box = this.stage.canvas.getBoundingClientRect();
    const { label } = this;
    const within = (x: number, size: number, room: number) => Math.max(4, Math.min(room - size - 4, x));
    const x = within(at.x - box.left - label.offsetWidth / 2, label.offsetWidth, box.width);
    const y = within(at.y - box.top - 1.4 * label.offsetHeight, label.offsetHeight, box.height);
    label.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px)`;
  }

  private show(): void {
    for (const view of this.stage.views) view.showMeasure(this.points);
    const [a, b] = this.points;
    this.label.hidden = !b;
    if (a && b) {
      const d = b.clone().sub(a);
      setText(this.label, `${numberText(d.length(), 5)} m  (Δx ${numberText(d.x)}, Δy ${numberText(d.y)}, Δz ${numberText(d.z)})`);
      this.placeLabel();
    }
    this.stage.dirty = true;
  }
}
