import { Vector3 } from 'three';
import { AwaitedAnswer } from '../data/awaited_answer';
import type { Pick, Stage } from '../scene3d/stage';
import { pointInBody, pointOfBody } from './body_points';
import type { Session } from './session';

/** ms between two messages of a pull: no more than a simulation can make use of */
const interval = 8;

/** A spring from a point of a body (in its frame) to one in the world. */
interface Pull {
  body: number;
  point: Vector3;
  target: Vector3;
  sent: boolean;
}

/** Pulls a body of a live run, by the pointer or by keys. */
export class Pulling {
  readonly answer = new AwaitedAnswer();
  private pull: Pull | null = null;
  private lastSent = 0;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
  ) {}

  get active(): boolean {
    return this.pull !== null;
  }

  start(pick: Pick): void {
    const point = pointInBody(this.session, this.stage, pick.view, pick.body, pick.point);
    if (point) this.pull = { body: pick.body, point, target: pick.point.clone(), sent: false };
  }

  /** The selected body by its centre, to the right or up in the picture. */
  startByKey([right, up]: [number, number]): void {
    const { selected, selectedRun } = this.session;
    const target = this.session.bodyCentre(selected, selectedRun);
    if (!target) return;
    const { elements } = this.stage.rig.camera.matrixWorld;
    const reach = 2 * this.stage.views[0]!.bodies.bodyRadius(selected);
    target.addScaledVector(new Vector3(elements[0], elements[1], elements[2]), right * reach);
    target.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), up * reach);
    this.pull = { body: selected, point: new Vector3(), target, sent: false };
  }

  moveTo(target: Vector3): void {
    if (!this.pull) return;
    this.pull.target.copy(target);
    this.pull.sent = false;
    if (performance.now() - this.lastSent >= interval) this.send();
  }

  end(): void {
    if (!this.pull) return;
    this.forget();
    for (const view of this.stage.views) view.showSpring(null, null);
    this.session.send({ type: 'release' });
    this.stage.dirty = true;
  }

  /** The body may no longer be there: nothing to say to the program. */
  forget(): void {
    this.pull = null;
  }

  /** Sends a target that moved since the last message. */
  send(): void {
    const { pull } = this;
    if (!pull || pull.sent) return;
    pull.sent = true;
    this.lastSent = performance.now();
    this.session.send({
      type: 'drag', body: pull.body, point: pull.point.toArray(), target: pull.target.toArray(), number: this.answer.sent(this.lastSent),
    });
  }

  /** Sends what is new, and draws the spring in every view. */
  update(): void {
    const { pull } = this;
    if (!pull) return;
    this.send();
    this.stage.views.forEach((view, i) => {
      const grip = pointOfBody(this.session, this.stage, i, pull.body, pull.point);
      if (grip) view.showSpring(grip, pull.target);
    });
    this.stage.dirty = true;
  }
}
