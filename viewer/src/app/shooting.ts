import { Vector3 } from 'three';
import type { Stage } from '../scene3d/stage';
import type { Session } from './session';

export interface Shot {
  size: number;
  speed: number;
  /** of the page, in CSS pixels; null: the middle of the view */
  aim: { x: number; y: number } | null;
}

/** Shoots a block along the view. */
export function shoot(session: Session, stage: Stage, shot: Shot): void {
  const view = stage.views[0];
  if (!session.live || !view) return;
  const [x, y, w, h] = stage.viewport(0);
  const box = stage.canvas.getBoundingClientRect();
  const at = shot.aim ?? { x: box.left + x + w / 2, y: box.top + y + h / 2 };
  const ray = stage.ray(at.x, at.y);
  if (!ray) return;
  let position: Vector3;
  let { direction } = ray;
  if (session.scene!.planar) {
    // In the plane there is no depth to shoot along: the block comes from the left at the pointer's height.
    position = new Vector3(view.low.x - 0.4 * view.size, 0, ray.origin.z);
    direction = new Vector3(1, 0, 0);
  } else {
    // From the camera, but not from so far that it takes seconds to arrive, nor so near that it fills the picture.
    const depth = stage.rig.controls.target.clone().sub(ray.origin).dot(direction);
    const start = Math.max(Math.min(5 * shot.size, depth / 2), depth - 1.5 * view.size);
    position = ray.origin.clone().addScaledVector(direction, start);
  }
  const velocity = direction.clone().multiplyScalar(shot.speed);
  session.send({ type: 'shoot', position: position.toArray(), velocity: velocity.toArray(), size: shot.size });
}
