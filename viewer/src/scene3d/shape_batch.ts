import {
  type BufferGeometry, type Camera, Color, DynamicDrawUsage, InstancedMesh, type Intersection, type LineSegments, type Material, type Matrix4, Mesh, type Points, type Raycaster,
  type ShaderMaterial, Vector3,
} from 'three';
import { makeDots } from './dots';
import { makeEdgeLines } from './edge_lines';
import type { DrawnGeometry } from './shape_geometry';

/** One thing to draw: its body, its node among those of all bodies (-1: none), its place in the frame of these. */
export interface Instance {
  body: number;
  node: number;
  material: number;
  local: Matrix4;
}

export interface BatchMaterials {
  surface: Material;
  edges: ShaderMaterial;
  dots: ShaderMaterial;
}

/** pixels: of smaller radii, many things are drawn as dots; and how far from a dot it is still picked */
const dotsBelow = 0.7;
const dotReach = 4;

interface Hit {
  instance: number;
  point: Vector3;
  distance: number;
}

/** All shapes of one kind, drawn together. Where there are many, they are drawn the coarser the smaller they are on the screen. */
export class ShapeBatch {
  readonly mesh: InstancedMesh;
  readonly edges: LineSegments;
  /** per instance; `local`: three columns and the origin */
  readonly body: Int32Array;
  readonly node: Int32Array;
  readonly material: Int32Array;
  readonly local: Float64Array;
  private readonly dots: Points | null;
  /** for radii of less than so many pixels, the coarsest first */
  private readonly levels: { below: number; surface: BufferGeometry }[];
  /** per instance, radius of a sphere around it; its centre is at `centre` of the geometry */
  private readonly reach: Float64Array;
  private readonly centre: Vector3;
  /** m of a pixel of the page, in perspective at a distance of 1 m */
  private pixel = { size: 0, grows: false };

  /** `wall`: seen through, it hides nothing and is picked last */
  constructor(instances: Instance[], { surface, edges, coarser = [] }: DrawnGeometry, materials: BatchMaterials, readonly wall: boolean) {
    surface.computeBoundingSphere();
    this.centre = surface.boundingSphere!.center;
    this.levels = [...[...coarser].reverse(), { below: Infinity, surface }];
    this.mesh = new InstancedMesh(surface, materials.surface, instances.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.setColorAt(0, new Color());
    this.mesh.instanceColor!.setUsage(DynamicDrawUsage);
    this.mesh.castShadow = this.mesh.receiveShadow = !wall;
    this.mesh.frustumCulled = false;
    this.edges = makeEdgeLines(edges.getAttribute('position'), this.mesh.instanceMatrix, materials.edges);
    this.dots = coarser.length > 0 ? makeDots(this.mesh.instanceMatrix, this.mesh.instanceColor!, materials.dots) : null;
    this.body = Int32Array.from(instances, (e) => e.body);
    this.node = Int32Array.from(instances, (e) => e.node);
    this.material = Int32Array.from(instances, (e) => e.material);
    this.local = new Float64Array(12 * instances.length);
    instances.forEach(({ local: m }, i) => {
      for (let c = 0; c < 4; ++c) for (let r = 0; r < 3; ++r) this.local[12 * i + 3 * c + r] = m.elements[4 * c + r]!;
    });
    // A little more than there is: single precision far from the origin must not lose a hit.
    this.reach = Float64Array.from(instances, (e) => 1.001 * e.local.getMaxScaleOnAxis() * surface.boundingSphere!.radius);
  }

  objects(): (InstancedMesh | LineSegments | Points)[] {
    return [this.mesh, this.edges, ...(this.dots ? [this.dots] : [])];
  }

  /** Chooses how to draw what this camera sees, in a picture so many pixels high. What is tiny has no edges, what is less than a pixel is a dot. */
  seenBy(camera: Camera, height: number, edges: boolean): void {
    const { levels, dots } = this;
    this.edges.visible = edges;
    if (!dots) return;
    const { elements } = camera.projectionMatrix;
    this.pixel = { size: 2 / (elements[5] * height), grows: elements[11] !== 0 };
    const radius = this.largestInView(camera) / this.pixel.size;
    const level = levels.find(({ below }) => radius < below) ?? levels[levels.length - 1]!;
    this.mesh.geometry = level.surface;
    this.mesh.visible = radius >= dotsBelow;
    dots.visible = !this.mesh.visible;
    if (level === levels[0]) this.edges.visible = false;
  }

  /** m: the largest radius of those in the picture, in perspective as if 1 m away. */
  private largestInView(camera: Camera): number {
    const v = camera.matrixWorldInverse.elements;
    const p = camera.projectionMatrix.elements;
    const m = this.mesh.instanceMatrix.array;
    let most = 0;
    for (let i = 0; i < this.reach.length; ++i) {
      const [x, y, z] = [m[16 * i + 12]!, m[16 * i + 13]!, m[16 * i + 14]!];
      const w = this.pixel.grows ? -(v[2] * x + v[6] * y + v[10] * z + v[14]) : 1;
      const radius = this.reach[i]! / w;
      if (w <= 0 || radius <= most) continue;
      const edge = 1.1 * w;
      const across = p[0] * (v[0] * x + v[4] * y + v[8] * z + v[12]);
      const up = p[5] * (v[1] * x + v[5] * y + v[9] * z + v[13]);
      if (Math.abs(across) < edge && Math.abs(up) < edge) most = radius;
    }
    return most;
  }

  /** Where a ray first meets an instance. Most are passed over by their spheres: three's own way takes a good part of a second for tens of thousands. */
  firstHit(raycaster: Raycaster): Hit | null {
    let best: Hit | null = null;
    const dots = this.dots?.visible ?? false;
    let least = Infinity;
    const one = new Mesh(this.mesh.geometry, this.mesh.material);
    const hits: Intersection[] = [];
    const { origin: o, direction: d } = raycaster.ray;
    const { x: cx, y: cy, z: cz } = this.centre;
    const m = this.mesh.instanceMatrix.array;
    for (let i = 0; i < this.reach.length; ++i) {
      const at = 16 * i;
      const x = m[at]! * cx + m[at + 4]! * cy + m[at + 8]! * cz + m[at + 12]! - o.x;
      const y = m[at + 1]! * cx + m[at + 5]! * cy + m[at + 9]! * cz + m[at + 13]! - o.y;
      const z = m[at + 2]! * cx + m[at + 6]! * cy + m[at + 10]! * cz + m[at + 14]! - o.z;
      const distance = x * d.x + y * d.y + z * d.z;
      const off = x * x + y * y + z * z - distance * distance;
      if (dots) {
        // A dot is wider than what it stands for: the nearest one is meant.
        const pixels = off / (this.pixel.size * (this.pixel.grows ? distance : 1)) ** 2;
        if (distance < raycaster.near || pixels > dotReach ** 2 || pixels >= least) continue;
        least = pixels;
        best = { instance: i, point: raycaster.ray.at(distance, new Vector3()), distance };
        continue;
      }
      if (off > this.reach[i]! ** 2) continue;
      one.matrixWorld.fromArray(m, at);
      hits.length = 0;
      one.raycast(raycaster, hits);
      for (const hit of hits) if (!best || hit.distance < best.distance) best = { instance: i, point: hit.point, distance: hit.distance };
    }
    return best;
  }

  dispose(): void {
    for (const { surface } of this.levels) surface.dispose();
    this.mesh.dispose();
    this.edges.geometry.dispose();
    this.dots?.geometry.dispose();
  }
}
