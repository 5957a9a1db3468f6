import { Vector3 } from 'three';
import type { Stage } from '../scene3d/stage';
import type { Session } from './session';

/** A point of the world in the frame of a body as a view shows it; null when that has no such body. */
export function pointInBody(session: Session, stage: Stage, view: number, body: number, point: Vector3): Vector3 | null {
  const centre = session.bodyCentre(body, view);
  if (!centre) return null;
  const r = stage.views[view]!.bodies.rotationOf(body);
  const d = point.clone().sub(centre);
  // The transpose takes the point back into the body's frame.
  return new Vector3(
    r[0]! * d.x + r[3]! * d.y + r[6]! * d.z,
    r[1]! * d.x + r[4]! * d.y + r[7]! * d.z,
    r[2]! * d.x + r[5]! * d.y + r[8]! * d.z,
  );
}

/** Where a point of a body's frame is in the world now. */
export function pointOfBody(session: Session, stage: Stage, view: number, body: number, { x, y, z }: Vector3): Vector3 | null {
  const at = session.bodyCentre(body, view);
  if (!at) return null;
  const r = stage.views[view]!.bodies.rotationOf(body);
  at.x += r[0]! * x + r[1]! * y + r[2]! * z;
  at.y += r[3]! * x + r[4]! * y + r[5]! * z;
  at.z += r[6]! * x + r[7]! * y + r[8]! * z;
  return at;
}
