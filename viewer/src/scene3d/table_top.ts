import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Body } from '../wire/messages';

/** of the rise of a face: what is steeper is a wall or a slope that nothing stands on */
const flattest = 0.8;

interface Face {
  frame: Matrix4;
  area: number;
}

const pose = (position: readonly number[], [w, x, y, z]: readonly number[]) =>
  new Matrix4().compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));

/** The upper face of a box: a frame with z out of it, or null where none looks up. */
function upperFace(place: Matrix4, half: readonly [number, number, number]): Face | null {
  const axes = [new Vector3(), new Vector3(), new Vector3()] as const;
  place.extractBasis(...axes);
  const up = axes.findIndex((axis) => Math.abs(axis.z) > flattest);
  if (up < 0) return null;
  const normal = axes[up]!.clone().multiplyScalar(Math.sign(axes[up]!.z));
  const x = axes[(up + 1) % 3]!;
  const y = new Vector3().crossVectors(normal, x);
  const at = new Vector3().setFromMatrixPosition(place).addScaledVector(normal, half[up]!);
  // On a level face lines lie at round coordinates of the world.
  const level = normal.z > 1 - 1e-9;
  const frame = level ? new Matrix4().makeTranslation(0, 0, at.z) : new Matrix4().makeBasis(x, y, normal).setPosition(at);
  return { frame, area: half[(up + 1) % 3]! * half[(up + 2) % 3]! };
}

/** The top of the largest fixed box that lies under bodies that move: where a grid with its scale belongs. */
export function tableTop(bodies: Body[]): Matrix4 | null {
  const movers = bodies.filter((b) => b.mobility === 'dynamic').map((b) => new Vector3(...b.position));
  let best: Face | null = null;
  for (const body of bodies) {
    if (body.mobility !== 'fixed') continue;
    for (const shape of body.shapes) {
      if (shape.type !== 'box') continue;
      const face = upperFace(pose(body.position, body.orientation).multiply(pose(shape.position, shape.orientation)), shape.half_extents);
      if (!face || (best && face.area <= best.area)) continue;
      const inverse = face.frame.clone().invert();
      if (movers.some((at) => at.clone().applyMatrix4(inverse).z > 0)) best = face;
    }
  }
  return best?.frame ?? null;
}
