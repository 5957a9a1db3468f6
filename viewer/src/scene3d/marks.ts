import { type BufferGeometry, Color, CylinderGeometry, DynamicDrawUsage, type Group, InstancedMesh, type Material } from 'three';

/** An instanced mesh that grows with the number of what it marks. */
export class Marks {
  mesh: InstancedMesh;

  constructor(
    private readonly group: Group,
    private readonly geometry: BufferGeometry,
    private readonly material: Material,
  ) {
    this.mesh = this.make(64);
  }

  reserve(count: number): void {
    if (count <= this.mesh.instanceMatrix.count) return;
    const { visible } = this.mesh;
    this.group.remove(this.mesh);
    this.mesh.dispose();
    this.mesh = this.make(Math.ceil(count * 1.5));
    this.mesh.visible = visible;
  }

  done(count: number): void {
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.dispose();
    this.geometry.dispose();
    this.material.dispose();
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, new Color());
    mesh.instanceColor!.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.group.add(mesh);
    return mesh;
  }
}

/** A rod from z = 0 to z = 1. */
export function rod(): BufferGeometry {
  return new CylinderGeometry(1, 1, 1, 6, 1, true).translate(0, 0.5, 0).rotateX(Math.PI / 2);
}

/** Writes a matrix that maps z to `direction` × length and the cross-section to `width`. The direction must have unit length. */
export function placeAlong(
  out: Float32Array, at: number, x: number, y: number, z: number,
  dx: number, dy: number, dz: number, width: number, length: number,
): void {
  // The branch-free basis of Duff et al. (2017).
  const sign = dz >= 0 ? 1 : -1;
  const a = -1 / (sign + dz);
  const b = dx * dy * a;
  out[at] = (1 + sign * dx * dx * a) * width;
  out[at + 1] = sign * b * width;
  out[at + 2] = -sign * dx * width;
  out[at + 3] = 0;
  out[at + 4] = b * width;
  out[at + 5] = (sign + dy * dy * a) * width;
  out[at + 6] = -dy * width;
  out[at + 7] = 0;
  out[at + 8] = dx * length;
  out[at + 9] = dy * length;
  out[at + 10] = dz * length;
  out[at + 11] = 0;
  out[at + 12] = x;
  out[at + 13] = y;
  out[at + 14] = z;
  out[at + 15] = 1;
}
