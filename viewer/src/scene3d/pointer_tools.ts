import { Plane, Vector3 } from 'three';
import type { Pick, Stage } from './stage';

export interface PointerActions {
  /** whether a plain drag on a body pulls it (true), or only one with Shift (false); null: not in this mode at all */
  pulls: () => boolean | null;
  /** whether a click may pick the ground */
  picksGround: () => boolean;
  clicked: (pick: Pick | null) => void;
  dragStart: (pick: Pick) => void;
  dragTo: (target: Vector3) => void;
  dragEnd: () => void;
}

const clickDistance = 5;

/** Clicks and pulls on the canvas. What is neither is left to the camera's controls. */
export class PointerTools {
  /** last place of the pointer over the view, for shots */
  last: { x: number; y: number } | null = null;
  private down: { x: number; y: number; id: number } | null = null;
  private pulling: Plane | null = null;
  private readonly raw = (event: Event) => this.move(event as PointerEvent);

  constructor(
    private readonly stage: Stage,
    private readonly actions: PointerActions,
  ) {
    const { canvas } = stage;
    // Capturing listeners run before those of the camera's controls, which must not turn the view while a body is pulled.
    canvas.addEventListener('pointerdown', (event) => this.begin(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.end(event));
    canvas.addEventListener('pointercancel', (event) => this.end(event));
    canvas.addEventListener('pointerleave', () => (this.last = null));
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.down = { x: event.clientX, y: event.clientY, id: event.pointerId };
    const pulls = this.actions.pulls();
    if (pulls === null || !(pulls || event.shiftKey)) return;
    const pick = this.stage.pick(event.clientX, event.clientY);
    if (!pick) return;
    const normal = this.stage.rig.camera.getWorldDirection(new Vector3());
    this.pulling = new Plane().setFromNormalAndCoplanarPoint(normal, pick.point);
    this.stage.rig.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    // Moves wait for the next picture, these do not: where pictures are slow, a pull should not be.
    this.stage.canvas.addEventListener('pointerrawupdate', this.raw);
    this.actions.dragStart(pick);
    this.actions.dragTo(pick.point);
  }

  private move(event: PointerEvent): void {
    this.last = { x: event.clientX, y: event.clientY };
    if (!this.pulling) return;
    const target = this.onPlane(event);
    if (target) this.actions.dragTo(target);
  }

  private end(event: PointerEvent): void {
    const { down } = this;
    this.down = null;
    if (this.pulling) {
      this.pulling = null;
      this.stage.canvas.removeEventListener('pointerrawupdate', this.raw);
      this.stage.rig.controls.enabled = true;
      this.actions.dragEnd();
      return;
    }
    if (!down || down.id !== event.pointerId || event.type === 'pointercancel') return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > clickDistance) return;
    this.actions.clicked(this.stage.pick(event.clientX, event.clientY, this.actions.picksGround()));
  }

  private onPlane(event: PointerEvent): Vector3 | null {
    const ray = this.stage.ray(event.clientX, event.clientY);
    if (!ray || !this.pulling) return null;
    const along = ray.direction.dot(this.pulling.normal);
    if (Math.abs(along) < 1e-9) return null;
    return ray.origin.addScaledVector(ray.direction, -this.pulling.distanceToPoint(ray.origin) / along);
  }
}
