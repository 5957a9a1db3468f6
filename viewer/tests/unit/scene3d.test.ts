import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { tableTop } from '../../src/scene3d/table_top';
import type { Body, Quaternion, Vector3 as Triple } from '../../src/wire/messages';

function box(mobility: string, half: Triple, position: Triple, orientation: Quaternion = [1, 0, 0, 0]): Body {
  const shape = { type: 'box' as const, half_extents: half, material: 'm', position: [0, 0, 0] as Triple, orientation: [1, 0, 0, 0] as Quaternion };
  return { name: mobility, kind: 'spatial', mobility, mass: 1, position, orientation, shapes: [shape] };
}

describe('the grid', () => {
  const height = (bodies: Body[]) => {
    const top = tableTop(bodies);
    return top && new Vector3().setFromMatrixPosition(top).z;
  };
  const mover = box('dynamic', [0.1, 0.1, 0.1], [0, 0, 0.6]);

  it('lies on the largest fixed box under what moves', () => {
    expect(height([box('fixed', [2, 2, 0.25], [0, 0, 0.25]), box('fixed', [0.1, 0.1, 0.5], [1, 1, 0]), mover])).toBeCloseTo(0.5);
  });

  it('lies neither on a ceiling nor on a wall nor on what moves', () => {
    expect(height([box('fixed', [2, 2, 0.1], [0, 0, 3]), mover])).toBeNull();
    expect(height([box('kinematic', [2, 2, 0.1], [0, 0, 0]), mover])).toBeNull();
    expect(height([mover])).toBeNull();
  });

  it('lies on the upper face of a box on its side, and along a gentle slope', () => {
    const onItsSide: Quaternion = [Math.SQRT1_2, Math.SQRT1_2, 0, 0];
    expect(height([box('fixed', [2, 0.25, 2], [0, 0, 0], onItsSide), mover])).toBeCloseTo(0.25);
    const slope = tableTop([box('fixed', [2, 2, 0.25], [0, 0, 0], [Math.cos(0.1), 0, Math.sin(0.1), 0]), mover])!;
    const normal = new Vector3(0, 0, 1).transformDirection(slope);
    expect(normal.z).toBeCloseTo(Math.cos(0.2));
    expect(new Vector3().setFromMatrixPosition(slope).dot(normal)).toBeCloseTo(0.25);
  });
});
