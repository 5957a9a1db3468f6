import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Body, Shape } from '../wire/messages';

/** Corners of the boxes around bodies where they stand at the start. */
interface Extent {
  low: Vector3;
  high: Vector3;
}

function pose(position: readonly number[], [w, x, y, z]: readonly number[]): Matrix4 {
  return new Matrix4().compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

function boxExtent(body: Body, shape: Shape & { type: 'box' }): Extent {
  const place = pose(body.position, body.orientation).multiply(pose(shape.position, shape.orientation));
  const extent = { low: new Vector3(Infinity, Infinity, Infinity), high: new Vector3(-Infinity, -Infinity, -Infinity) };
  const [hx, hy, hz] = shape.half_extents;
  for (let i = 0; i < 8; ++i) {
    const corner = new Vector3(i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz).applyMatrix4(place);
    extent.low.min(corner);
    extent.high.max(corner);
  }
  return extent;
}

/** Heights at which dynamic bodies have their centres. */
function dynamicHeights(bodies: Body[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const body of bodies) {
    if (body.mobility !== 'dynamic') continue;
    low = Math.min(low, body.position[2]);
    high = Math.max(high, body.position[2]);
  }
  return [low, high];
}

/**
 * Finds the walls that would hide what they hold: upright plates of fixed bodies that reach up beside bodies that move. Seen
 * from the side (in planar scenes) nothing is hidden.
 */
export function findWalls(bodies: Body[], planar: boolean): (body: Body, shape: Shape) => boolean {
  const [low, high] = dynamicHeights(bodies);
  return (body, shape) => {
    if (planar || body.mobility !== 'fixed' || shape.type !== 'box') return false;
    const extent = boxExtent(body, shape);
    const size = extent.high.clone().sub(extent.low);
    const upright = Math.min(size.x, size.y) < 0.35 * size.z && Math.max(size.x, size.y) > 0.5 * size.z;
    return upright && extent.high.z > low && extent.low.z < high;
  };
}
