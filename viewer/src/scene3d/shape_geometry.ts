import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Float32BufferAttribute,
  IcosahedronGeometry,
  Matrix4,
  Quaternion,
  ShapeUtils,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Shape } from '../wire/messages';

/** What to draw for a shape: shapes with the same key share their geometry and are drawn together. */
export interface DrawnShape {
  key: string;
  /** unit geometry to body frame, with the sizes */
  local: Matrix4;
  /** radius around the shape frame's origin */
  radius: number;
  /** `count`: how many of it there are */
  make: (count: number) => DrawnGeometry;
}

export interface DrawnGeometry {
  surface: BufferGeometry;
  edges: BufferGeometry;
  /** of what there is much of: surfaces of fewer triangles, the coarsest last, each for a radius of less than so many pixels */
  coarser?: { below: number; surface: BufferGeometry }[];
}

const quarterAboutX = new Matrix4().makeRotationX(Math.PI / 2);

function lines(points: number[]): BufferGeometry {
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
}

function faceted(positions: number[]): BufferGeometry {
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function circle(radius: number, axis: 0 | 1 | 2, segments = 48): number[] {
  const points: number[] = [];
  const point = (i: number) => {
    const a = (2 * Math.PI * i) / segments;
    const p = [radius * Math.cos(a), radius * Math.sin(a)];
    p.splice(axis, 0, 0);
    return p;
  };
  for (let i = 0; i < segments; ++i) points.push(...point(i), ...point(i + 1));
  return points;
}

function polytope(vertices: readonly (readonly number[])[], faces: number[][]) {
  const surface: number[] = [];
  const edges: number[] = [];
  const seen = new Set<string>();
  for (const face of faces) {
    for (let i = 0; i < face.length; ++i) {
      const a = face[i]!;
      const b = face[(i + 1) % face.length]!;
      if (i >= 1 && i + 1 < face.length) {
        for (const v of [face[0]!, a, b]) surface.push(...vertices[v]!);
      }
      const name = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (seen.has(name)) continue;
      seen.add(name);
      edges.push(...vertices[a]!, ...vertices[b]!);
    }
  }
  return { surface: faceted(surface), edges: lines(edges) };
}

/** A polygon of the x–z plane, drawn as a plate of thickness 1 along y. */
function plate(vertices: readonly [number, number][]) {
  const contour = vertices.map(([x, z]) => new Vector2(x, z));
  if (ShapeUtils.area(contour) < 0) contour.reverse();
  const surface: number[] = [];
  const edges: number[] = [];
  const at = (p: Vector2, y: number) => [p.x, y, p.y];
  for (const triangle of ShapeUtils.triangulateShape(contour, [])) {
    const [a, b, c] = triangle.map((i) => contour[i]!) as [Vector2, Vector2, Vector2];
    surface.push(...at(a, -0.5), ...at(b, -0.5), ...at(c, -0.5), ...at(a, 0.5), ...at(c, 0.5), ...at(b, 0.5));
  }
  contour.forEach((a, i) => {
    const b = contour[(i + 1) % contour.length]!;
    surface.push(...at(a, -0.5), ...at(a, 0.5), ...at(b, -0.5), ...at(b, -0.5), ...at(a, 0.5), ...at(b, 0.5));
    edges.push(...at(a, -0.5), ...at(b, -0.5), ...at(a, 0.5), ...at(b, 0.5), ...at(a, -0.5), ...at(a, 0.5));
  });
  return { surface: faceted(surface), edges: lines(edges) };
}

/** A unit sphere of 20 (detail + 1)² triangles. */
function icosphere(detail: number): BufferGeometry {
  const triangles = new IcosahedronGeometry(1, detail);
  for (const name of ['normal', 'uv']) triangles.deleteAttribute(name);
  const geometry = mergeVertices(triangles);
  return geometry.setAttribute('normal', geometry.getAttribute('position').clone());
}

/** of all spheres of a kind together, where there are more than `many` */
const mostTriangles = 3e6;
const many = 200;

/** A unit sphere and two circles on it. */
function ball(count: number): DrawnGeometry {
  const circles = (segments: number) => lines([...circle(1.002, 0, segments), ...circle(1.002, 2, segments)]);
  const smooth = () => new SphereGeometry(1, 32, 20).applyMatrix4(quarterAboutX);
  if (count <= many) return { surface: smooth(), edges: circles(48) };
  const detail = Math.max(0, Math.floor(Math.sqrt(mostTriangles / count / 20)) - 1);
  const coarser = [{ below: 10, surface: icosphere(Math.min(1, detail)) }, { below: 3, surface: icosphere(0) }];
  return { surface: detail > 6 ? smooth() : icosphere(detail), edges: circles(detail > 3 ? 48 : 18), coarser };
}

function cylinderAlongZ(radius: number, length: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, 40).applyMatrix4(quarterAboutX);
}

/** A unit disk in the x–z plane of thickness 1 along y, with a spoke that shows how it turns. */
function roundPlate() {
  const surface = new CylinderGeometry(1, 1, 1, 48);
  const rim: number[] = [];
  for (const y of [-0.5, 0.5]) {
    circle(1, 1).forEach((value, i) => rim.push(i % 3 === 1 ? y : value));
    rim.push(0, y, 0, 1, y, 0);
  }
  return { surface, edges: lines(rim) };
}

/**
 * How a shape is drawn; null for half-spaces, which have no end and are drawn by the ground layer.
 * `thickness` is what planar shapes get along y.
 */
export function drawnShape(shape: Shape, thickness: number): DrawnShape | null {
  const [w, x, y, z] = shape.orientation;
  const place = new Matrix4().compose(
    new Vector3(...shape.position),
    new Quaternion(x, y, z, w),
    new Vector3(1, 1, 1),
  );
  const scaled = (sx: number, sy: number, sz: number) => place.clone().scale(new Vector3(sx, sy, sz));
  switch (shape.type) {
    case 'sphere':
      return {
        // Of very different sizes, small ones may be drawn coarser.
        key: `sphere ${Math.floor(Math.log(shape.radius) / Math.log(4))}`,
        local: scaled(shape.radius, shape.radius, shape.radius),
        radius: shape.radius,
        make: ball,
      };
    case 'box': {
      const [hx, hy, hz] = shape.half_extents;
      return {
        key: 'box',
        local: scaled(2 * hx, 2 * hy, 2 * hz),
        radius: Math.hypot(hx, hy, hz),
        make: () => {
          const surface = new BoxGeometry(1, 1, 1);
          return { surface, edges: new EdgesGeometry(surface) };
        },
      };
    }
    case 'cylinder':
      return {
        key: 'cylinder',
        local: scaled(shape.radius, shape.radius, 2 * shape.half_length),
        radius: Math.hypot(shape.radius, shape.half_length),
        make: () => {
          const surface = cylinderAlongZ(1, 1);
          return { surface, edges: new EdgesGeometry(surface, 30) };
        },
      };
    case 'capsule': {
      // Its caps must stay round, so only capsules of the same proportions share a geometry.
      const ratio = Number((shape.half_length / shape.radius).toPrecision(6));
      return {
        key: `capsule ${ratio}`,
        local: scaled(shape.radius, shape.radius, shape.radius),
        radius: shape.radius + shape.half_length,
        make: () => {
          const surface = new CapsuleGeometry(1, 2 * ratio, 10, 32).applyMatrix4(quarterAboutX);
          const rims: number[] = [];
          for (const end of [-ratio, ratio]) circle(1.002, 2).forEach((v, i) => rims.push(i % 3 === 2 ? end : v));
          return { surface, edges: lines(rims) };
        },
      };
    }
    case 'polytope':
      return {
        key: `polytope ${JSON.stringify(shape.vertices)} ${JSON.stringify(shape.faces)}`,
        local: place,
        radius: Math.max(0, ...shape.vertices.map((v) => Math.hypot(...v))),
        make: () => polytope(shape.vertices, shape.faces),
      };
    case 'disk':
      return {
        key: 'disk',
        local: scaled(shape.radius, thickness, shape.radius),
        radius: shape.radius,
        make: roundPlate,
      };
    case 'ellipse':
      return {
        key: 'disk',
        local: scaled(shape.radii[0], thickness, shape.radii[1]),
        radius: Math.max(...shape.radii),
        make: roundPlate,
      };
    case 'polygon':
      return {
        key: `polygon ${JSON.stringify(shape.vertices)}`,
        local: scaled(1, thickness, 1),
        radius: Math.max(0, ...shape.vertices.map((v) => Math.hypot(...v))),
        make: () => plate(shape.vertices),
      };
    case 'segment': {
      const [a, b] = shape.vertices as [[number, number], [number, number]];
      // A line has no area: a strip of a small part of its length stands for it.
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      const half = 0.01 * length;
      const nx = (-(b[1] - a[1]) / length) * half;
      const nz = ((b[0] - a[0]) / length) * half;
      const strip: [number, number][] = [
        [a[0] - nx, a[1] - nz],
        [b[0] - nx, b[1] - nz],
        [b[0] + nx, b[1] + nz],
        [a[0] + nx, a[1] + nz],
      ];
      return {
        key: `segment ${JSON.stringify(shape.vertices)}`,
        local: scaled(1, thickness, 1),
        radius: Math.max(Math.hypot(...a), Math.hypot(...b)),
        make: () => plate(strip),
      };
    }
    default:
      return null;
  }
}
