import { Vector3 } from 'three';
import { AwaitedAnswer } from '../data/awaited_answer';
import type { Pick, Stage } from '../scene3d/stage';
import { type BodyPoint, pointInBody, pointOfBody } from './body_points';
import type { Session } from './session';

/** ms between two messages of a pull: no more than a simulation can make use of */
const interval = 8;

/** A spring from a point of a body to one in the world. */
interface Pull {
  grip: BodyPoint;
  /** from where the hand is to where the spring ends: a body with nodes is pulled by one of them, not where it was touched */
  offset: Vector3;
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
    const { view, body, point } = pick;
    const node = pick.node >= 0 ? pick.node : this.stage.views[view]!.bodies.nearestNode(body, point);
    const from = node < 0 ? point : this.stage.views[view]!.bodies.place(body, node);
    const grip = from && pointInBody(this.stage, view, body, node, from);
    if (grip) this.pull = { grip, offset: from.clone().sub(point), target: from.clone(), sent: false };
  }

  /** The selected body by its centre, or by its node that was picked or is nearest to that, to the right or up in the picture. */
  startByKey([right, up]: [number, number]): void {
    const { selected, selectedNode, selectedRun } = this.session;
    const bodies = this.stage.views[selectedRun]?.bodies;
    const centre = bodies?.place(selected);
    if (!bodies || !centre) return;
    const node = selectedNode >= 0 ? selectedNode : bodies.nearestNode(selected, centre);
    const target = bodies.place(selected, node);
    if (!target) return;
    const { elements } = this.stage.rig.camera.matrixWorld;
    const reach = 2 * bodies.bodyRadius(selected);
    target.addScaledVector(new Vector3(elements[0], elements[1], elements[2]), right * reach);
    target.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), up * reach);
    this.pull = { grip: { body: selected, node, local: new Vector3() }, offset: new Vector3(), target, sent: false };
  }

  moveTo(target: Vector3): void {
    if (!this.pull) return;
    this.pull.target.copy(target).add(this.pull.offset);
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
    const { body, node, local } = pull.grip;
    this.session.send({
      type: 'drag', body, ...(node < 0 ? {} : { node }), point: local.toArray(), target: pull.target.toArray(), number: this.answer.sent(this.lastSent),
    });
  }

  /** Sends what is new, and draws the spring in every view. */
  update(): void {
    const { pull } = this;
    if (!pull) return;
    this.send();
    this.stage.views.forEach((view, i) => {
      const from = pointOfBody(this.stage, i, pull.grip);
      if (from) view.showSpring(from, pull.target);
    });
    this.stage.dirty = true;
  }
}
