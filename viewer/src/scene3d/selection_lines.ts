import { type Color, DynamicDrawUsage, Group, InstancedBufferAttribute, type LineSegments, type Material } from 'three';
import { makeEdgeLines, makeEdgeMaterial } from './edge_lines';

interface Part {
  lines: LineSegments;
  /** of all instances of a mesh, and of those that are marked */
  from: InstancedBufferAttribute;
  placement: InstancedBufferAttribute;
  instances: number[];
}

/** The edges of some instances of meshes, over everything else: one call for each mesh, however many instances are marked. */
export class SelectionLines {
  readonly group = new Group();
  private readonly material = makeEdgeMaterial(0);
  private parts: Part[] = [];

  constructor() {
    // Opaque: contacts are drawn after it, and over it.
    Object.assign(this.material, { depthTest: false, transparent: false } satisfies Partial<Material>);
  }

  setColour(colour: string): void {
    (this.material.uniforms.colour!.value as Color).set(colour);
  }

  clear(): void {
    this.group.clear();
    for (const { lines } of this.parts) lines.geometry.dispose();
    this.parts = [];
  }

  /** Marks these instances of a mesh that has such edges and the matrices `from`. */
  add(edges: LineSegments, from: InstancedBufferAttribute, instances: number[]): void {
    if (instances.length === 0) return;
    const placement = new InstancedBufferAttribute(new Float32Array(16 * instances.length), 16);
    placement.setUsage(DynamicDrawUsage);
    // With points of its own: to dispose of shared ones would take them from the mesh's edges.
    const lines = makeEdgeLines(edges.geometry.getAttribute('position').clone(), placement, this.material);
    lines.renderOrder = 0;
    this.parts.push({ lines, from, placement, instances });
    this.group.add(lines);
  }

  /** To be called when the instances moved. */
  follow(): void {
    for (const { from, placement, instances } of this.parts) {
      instances.forEach((instance, i) => placement.array.set(from.array.subarray(16 * instance, 16 * instance + 16), 16 * i));
      placement.needsUpdate = true;
    }
  }

  dispose(): void {
    this.clear();
    this.material.dispose();
  }
}
