import { Vector3 } from 'three';
import type { Stage } from '../scene3d/stage';

/** A point of a body: in its frame, or in that of one of its nodes (-1: none), which does not turn. */
export interface BodyPoint {
  body: number;
  node: number;
  local: Vector3;
}

/** A point of the world as one of a body that a view shows; null when that has no such body. */
export function pointInBody(stage: Stage, view: number, body: number, node: number, point: Vector3): BodyPoint | null {
  const { bodies } = stage.views[view]!;
  const origin = bodies.place(body, node);
  if (!origin) return null;
  const r = bodies.rotationOf(body);
  const d = point.clone().sub(origin);
  // The transpose takes the point back into the body's frame.
  const local = new Vector3(
    r[0]! * d.x + r[3]! * d.y + r[6]! * d.z,
    r[1]! * d.x + r[4]! * d.y + r[7]! * d.z,
    r[2]! * d.x + r[5]! * d.y + r[8]! * d.z,
  );
  return { body, node, local };
}

/** Where a point of a body is in the world now. */
export function pointOfBody(stage: Stage, view: number, { body, node, local: { x, y, z } }: BodyPoint): Vector3 | null {
  const { bodies } = stage.views[view]!;
  const at = bodies.place(body, node);
  if (!at) return null;
  const r = bodies.rotationOf(body);
  at.x += r[0]! * x + r[1]! * y + r[2]! * z;
  at.y += r[3]! * x + r[4]! * y + r[5]! * z;
  at.z += r[6]! * x + r[7]! * y + r[8]! * z;
  return at;
}
