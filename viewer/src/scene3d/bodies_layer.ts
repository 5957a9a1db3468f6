import { Box3, type Camera, Color, Group, Matrix4, MeshLambertMaterial, Quaternion, type Raycaster, Vector3 } from 'three';
import { type Frame, nodeStarts, placeOf } from '../data/frame';
import type { Body } from '../wire/messages';
import { makeDotMaterial } from './dots';
import { makeEdgeMaterial } from './edge_lines';
import { logPlace, penetrationRange, ramp, type Theme } from './palette';
import { SelectionLines } from './selection_lines';
import { type Instance, ShapeBatch } from './shape_batch';
import { type DrawnShape, drawnShape } from './shape_geometry';
import { findWalls } from './walls';

const unit = new Vector3(1, 1, 1);
/** instances of one kind whose edges mark a selection; of more, their colour must do */
const mostMarked = 2000;
/** CSS pixels */
const dotSize = 2;

export type BodyColouring = 'material' | 'island' | 'speed' | 'penetration';

export interface PickedBody {
  body: number;
  /** that the picked shape is at, counted within the body; -1: none */
  node: number;
  point: Vector3;
  distance: number;
}

/** Different but fixed for each body, in [-1, 1]: neighbours of one material stay apart for the eye. */
function jitter(i: number, kind: number): number {
  const x = Math.sin(12.9898 * (i + 1) + 78.233 * kind) * 43758.5453;
  return 2 * (x - Math.floor(x)) - 1;
}

/** Draws the bodies: one instanced mesh per kind of geometry, whatever the number of bodies. */
export class BodiesLayer {
  readonly group = new Group();
  /** the selected body's edges, for the layer that is drawn over everything */
  readonly selection = new SelectionLines();
  colouring: BodyColouring = 'material';
  selected = -1;
  /** among those of all bodies */
  private selectedNode = -1;
  /** largest speed seen so far: the top of the colour scale */
  topSpeed = 1e-3;
  private readonly batches: ShapeBatch[] = [];
  private readonly materialNames: string[] = [];
  private readonly rotation: Float64Array;
  private readonly starts: Int32Array;
  /** per body; of a body with nodes, that of the largest thing at one of them */
  private readonly radius: Float64Array;
  /** per body, a box around its shapes in its own frame, or in those of its nodes */
  private readonly boxes: Box3[];
  private readonly dynamic: boolean[];
  private readonly island: Int32Array;
  private readonly depth: Float64Array;
  private readonly edgeMaterial = makeEdgeMaterial(0);
  private readonly dotMaterial = makeDotMaterial();
  private readonly surfaceMaterial = new MeshLambertMaterial();
  private readonly wallMaterial = new MeshLambertMaterial({ transparent: true, opacity: 0.16, depthWrite: false });
  private frame: Frame | null = null;
  private edges = true;
  private theme: Theme;

  constructor(
    private readonly bodies: Body[],
    planar: boolean,
    thickness: number,
    theme: Theme,
  ) {
    this.theme = theme;
    this.rotation = new Float64Array(9 * bodies.length);
    this.starts = nodeStarts(bodies);
    this.radius = new Float64Array(bodies.length);
    this.boxes = bodies.map(() => new Box3());
    this.island = new Int32Array(bodies.length);
    this.depth = new Float64Array(bodies.length);
    this.dynamic = bodies.map((b) => b.mobility === 'dynamic');
    this.build(planar, thickness);
    this.edgeMaterial.uniforms.pull!.value = 0.01 * this.typicalRadius();
    this.setTheme(theme);
    // Until the first frame is here all matrices are nought, which software renderers take seconds to draw.
    this.group.visible = false;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    (this.edgeMaterial.uniforms.colour!.value as Color).set(theme.edge);
    this.edgeMaterial.uniforms.opacity!.value = theme.edgeOpacity;
    this.selection.setColour(theme.accent);
    this.paint();
  }

  /** To be followed by a new picture. */
  setEdges(visible: boolean): void {
    this.edges = visible;
  }

  /** To be called before a picture: by which camera, so many CSS pixels high, of which each has so many of the drawing buffer across. */
  seenBy(camera: Camera, height: number, pixelRatio = 1): void {
    camera.updateMatrixWorld();
    this.dotMaterial.uniforms.size!.value = dotSize * pixelRatio;
    this.dotMaterial.uniforms.part!.value = dotSize / height;
    for (const batch of this.batches) batch.seenBy(camera, height, this.edges);
  }

  show(frame: Frame): void {
    this.frame = frame;
    this.group.visible = true;
    this.placeAll(frame);
    if (this.colouring !== 'material') this.paint();
    this.selection.follow();
  }

  /** Colours a body, and marks its edges, or those of what is at one of its nodes. */
  select(body: number, node = -1): void {
    this.selected = body;
    this.selection.clear();
    const only = node < 0 ? -1 : (this.starts[body] ?? 0) + node;
    this.selectedNode = only;
    for (const batch of body < 0 ? [] : this.batches) {
      const marked: number[] = [];
      for (let i = 0; i < batch.body.length; ++i) if (batch.body[i] === body && (only < 0 || batch.node[i] === only)) marked.push(i);
      if (marked.length <= mostMarked) this.selection.add(batch.edges, batch.mesh.instanceMatrix, marked);
    }
    this.selection.follow();
    this.paint();
  }

  setColouring(colouring: BodyColouring): void {
    this.colouring = colouring;
    this.paint();
  }

  /** The body under the ray and the point where it is hit. */
  pick(raycaster: Raycaster): PickedBody | null {
    let best: PickedBody | null = null;
    for (const wall of [false, true]) {
      for (const batch of this.batches.filter((b) => b.wall === wall)) {
        const hit = batch.firstHit(raycaster);
        if (!hit || (best && hit.distance >= best.distance)) continue;
        const [b, n] = [batch.body[hit.instance]!, batch.node[hit.instance]!];
        best = { body: b, node: n < 0 ? -1 : n - this.starts[b]!, point: hit.point, distance: hit.distance };
      }
      if (best) return best;
    }
    return best;
  }

  /**
   * A box around the bodies that move, by themselves or as prescribed, in all these frames, and around fixed ones that are not
   * larger, such as supports (around all, when nothing moves). What flew out of `reach`, or far away from most others, counts no
   * more: it would make all else small.
   */
  bounds(frames: Frame[], reach: Box3): Box3 | null {
    const around = (counts: (b: number) => boolean): Box3 => {
      const box = new Box3();
      const one = new Box3();
      const pose = new Matrix4();
      const at = new Vector3();
      const turn = new Quaternion();
      for (const frame of frames) {
        const strayed = this.strays(frame);
        for (let b = 0; b < Math.min(frame.bodies, this.bodies.length); ++b) {
          if (this.radius[b] === 0 || !counts(b) || strayed(b)) continue;
          if (this.bodies[b]!.nodes) {
            box.union(this.boxOfNodes(frame, b, reach));
            continue;
          }
          const { position: p, orientation: q } = frame;
          at.set(p[3 * b]!, p[3 * b + 1]!, p[3 * b + 2]!);
          if (!Number.isFinite(at.x + at.y + at.z) || !reach.containsPoint(at)) continue;
          turn.set(q[4 * b + 1]!, q[4 * b + 2]!, q[4 * b + 3]!, q[4 * b]!);
          box.union(one.copy(this.boxes[b]!).applyMatrix4(pose.compose(at, turn, unit)));
        }
      }
      return box;
    };
    const fixed = (b: number) => this.bodies[b]!.mobility === 'fixed';
    const movers = around((b) => !fixed(b));
    if (movers.isEmpty()) {
      const all = around(() => true);
      return all.isEmpty() ? null : all;
    }
    const largest = 0.35 * movers.getSize(new Vector3()).length();
    return movers.union(around((b) => fixed(b) && this.radius[b]! < largest));
  }

  /** A box around a body's nodes, as far as they are in `reach`, each taken as large as all that is at any of them. */
  private boxOfNodes(frame: Frame, b: number, reach: Box3): Box3 {
    const box = new Box3();
    const at = new Vector3();
    const first = 3 * this.starts[b]!;
    const end = Math.min(frame.nodePosition.length, first + 3 * this.bodies[b]!.nodes!);
    for (let i = first; i < end; i += 3) {
      at.fromArray(frame.nodePosition, i);
      if (reach.containsPoint(at)) box.expandByPoint(at);
    }
    if (box.isEmpty()) return box;
    box.min.add(this.boxes[b]!.min);
    box.max.add(this.boxes[b]!.max);
    return box;
  }

  /** Which dynamic bodies are several times farther from the middle of them than four fifths are. Few bodies have no strays. */
  private strays(frame: Frame): (body: number) => boolean {
    const movers = this.bodies.flatMap((_, b) => (this.dynamic[b] && b < frame.bodies ? [b] : []));
    if (movers.length < 8) return () => false;
    const quantile = (values: number[], part: number) => values.sort((x, y) => x - y)[Math.floor(part * (values.length - 1))]!;
    const middle = [0, 1, 2].map((i) => quantile(movers.map((b) => frame.position[3 * b + i]!), 0.5));
    const distance = (b: number) => Math.hypot(...middle.map((m, i) => frame.position[3 * b + i]! - m));
    const limit = 4 * (quantile(movers.map(distance), 0.8) + this.typicalRadius());
    return (b) => this.dynamic[b]! && !(distance(b) <= limit);
  }

  /** The frame that is shown. */
  shown(): Frame | null {
    return this.frame;
  }

  /** Where a body, or one of its nodes (-1: none), is shown. */
  place(body: number, node = -1): Vector3 | null {
    const at = placeOf(this.frame, this.starts, body, node);
    return at && new Vector3(...at);
  }

  /** The node of a body that is shown nearest to a point of the world; -1 when it has none. */
  nearestNode(body: number, point: Vector3): number {
    const places = this.frame?.nodePosition ?? [];
    const first = this.starts[body] ?? 0;
    let best = -1;
    let least = Infinity;
    for (let n = 0; n < (this.bodies[body]?.nodes ?? 0); ++n) {
      const i = 3 * (first + n);
      const distance = Math.hypot(places[i]! - point.x, places[i + 1]! - point.y, places[i + 2]! - point.z);
      if (!(distance < least)) continue;
      best = n;
      least = distance;
    }
    return best;
  }

  bodyRadius(body: number): number {
    return this.radius[body] ?? 0;
  }

  /** A typical body's radius: the measure for marks and arrows. */
  typicalRadius(): number {
    const sorted = [...this.radius].filter((r) => r > 0).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0.1;
  }

  /** The rotation of a body as it is shown, row by row. */
  rotationOf(body: number): ArrayLike<number> {
    return this.rotation.subarray(9 * body, 9 * body + 9);
  }

  materials(): { name: string; colour: string }[] {
    return this.materialNames.map((name, i) => ({ name, colour: this.materialColour(i) }));
  }

  dispose(): void {
    for (const batch of this.batches) batch.dispose();
    this.surfaceMaterial.dispose();
    this.wallMaterial.dispose();
    this.edgeMaterial.dispose();
    this.dotMaterial.dispose();
    this.selection.dispose();
  }

  private materialColour(index: number): string {
    return this.theme.materials[index % this.theme.materials.length]!;
  }

  private build(planar: boolean, thickness: number): void {
    const isWall = findWalls(this.bodies, planar);
    const groups = new Map<string, { wall: boolean; make: DrawnShape['make']; entries: Instance[] }>();
    const box = new Box3();
    // The materials of what moves come first: they get the palette's first colours.
    for (const dynamic of [true, false]) {
      for (const body of this.bodies.filter((_, b) => this.dynamic[b] === dynamic)) {
        for (const { material } of body.shapes) if (!this.materialNames.includes(material)) this.materialNames.push(material);
      }
    }
    this.bodies.forEach((body, b) => {
      for (const shape of body.shapes) {
        const material = this.materialNames.indexOf(shape.material);
        const drawn = drawnShape(shape, thickness);
        if (!drawn) continue;
        this.radius[b] = Math.max(this.radius[b]!, Math.hypot(...shape.position) + drawn.radius);
        const wall = isWall(body, shape);
        const key = `${wall ? 'wall ' : ''}${drawn.key}`;
        const group = groups.get(key) ?? { wall, make: drawn.make, entries: [] };
        const node = shape.node === undefined || !body.nodes ? -1 : this.starts[b]! + shape.node;
        group.entries.push({ body: b, node, material, local: drawn.local });
        groups.set(key, group);
      }
    });
    for (const { wall, make, entries } of groups.values()) {
      const geometry = make(entries.length);
      geometry.surface.computeBoundingBox();
      for (const { body, local } of entries) this.boxes[body]!.union(box.copy(geometry.surface.boundingBox!).applyMatrix4(local));
      const materials = { surface: wall ? this.wallMaterial : this.surfaceMaterial, edges: this.edgeMaterial, dots: this.dotMaterial };
      const batch = new ShapeBatch(entries, geometry, materials, wall);
      this.batches.push(batch);
      this.group.add(...batch.objects());
    }
  }

  private placeAll(frame: Frame): void {
    const { rotation } = this;
    const { position, orientation, nodePosition } = frame;
    const n = Math.min(frame.bodies, this.bodies.length);
    for (let b = 0; b < n; ++b) {
      const w = orientation[4 * b]!;
      const x = orientation[4 * b + 1]!;
      const y = orientation[4 * b + 2]!;
      const z = orientation[4 * b + 3]!;
      const o = 9 * b;
      rotation[o] = 1 - 2 * (y * y + z * z);
      rotation[o + 1] = 2 * (x * y - w * z);
      rotation[o + 2] = 2 * (x * z + w * y);
      rotation[o + 3] = 2 * (x * y + w * z);
      rotation[o + 4] = 1 - 2 * (x * x + z * z);
      rotation[o + 5] = 2 * (y * z - w * x);
      rotation[o + 6] = 2 * (x * z - w * y);
      rotation[o + 7] = 2 * (y * z + w * x);
      rotation[o + 8] = 1 - 2 * (x * x + y * y);
    }
    for (const { mesh, body, node, local } of this.batches) {
      const out = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < body.length; ++i) {
        const b = body[i]!;
        if (b >= n) continue;
        const o = 9 * b;
        for (let c = 0; c < 4; ++c) {
          const l = 12 * i + 3 * c;
          const x = local[l]!;
          const y = local[l + 1]!;
          const z = local[l + 2]!;
          const m = 16 * i + 4 * c;
          out[m] = rotation[o]! * x + rotation[o + 1]! * y + rotation[o + 2]! * z;
          out[m + 1] = rotation[o + 3]! * x + rotation[o + 4]! * y + rotation[o + 5]! * z;
          out[m + 2] = rotation[o + 6]! * x + rotation[o + 7]! * y + rotation[o + 8]! * z;
          out[m + 3] = 0;
        }
        // A body with nodes does not turn, so its rotation serves for the frames of its nodes too.
        const held = node[i]! >= 0 && 3 * node[i]! + 3 <= nodePosition.length;
        const origin = held ? nodePosition : position;
        const at = 3 * (held ? node[i]! : b);
        const m = 16 * i + 12;
        out[m] = out[m]! + origin[at]!;
        out[m + 1] = out[m + 1]! + origin[at + 1]!;
        out[m + 2] = out[m + 2]! + origin[at + 2]!;
        out[m + 3] = 1;
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private readonly scratch = new Color();
  private readonly accent = new Color();

  private paint(): void {
    const { colouring, frame, theme, scratch } = this;
    if (frame && (colouring === 'island' || colouring === 'penetration')) this.gatherFromContacts(frame);
    this.accent.set(theme.accent);
    const part = this.selectedNode < 0 ? 0.55 : 0.3;
    for (const { mesh, body, node, material } of this.batches) {
      for (let i = 0; i < body.length; ++i) {
        const b = body[i]!;
        // Shapes of one body come one after the other, and a body with nodes may have very many.
        if (i === 0 || b !== body[i - 1] || material[i] !== material[i - 1]) {
          this.bodyColour(b, material[i]!, frame);
          if (b === this.selected) scratch.lerp(this.accent, part);
        }
        mesh.setColorAt(i, node[i]! >= 0 && node[i] === this.selectedNode ? this.accent : scratch);
      }
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  /** Leaves the colour in `scratch`. */
  private bodyColour(b: number, material: number, frame: Frame | null): void {
    const { scratch, theme } = this;
    if (!this.dynamic[b] && this.colouring !== 'material') {
      scratch.set(theme.fixed);
      return;
    }
    switch (this.colouring) {
      case 'speed': {
        const v = frame?.linearVelocity;
        const speed = v && b < frame.bodies ? Math.hypot(v[3 * b]!, v[3 * b + 1]!, v[3 * b + 2]!) : 0;
        if (speed > this.topSpeed && Number.isFinite(speed)) this.topSpeed = speed;
        ramp(speed / this.topSpeed, scratch);
        return;
      }
      case 'island':
        if (this.island[b]! < 0) scratch.set(theme.fixed);
        // Steps of the golden angle: islands with near numbers get far hues.
        else scratch.setHSL((0.58 + this.island[b]! * 0.381966) % 1, 0.5, 0.62);
        return;
      case 'penetration':
        ramp(logPlace(this.depth[b]!, ...penetrationRange), scratch);
        return;
      default:
        scratch.set(this.dynamic[b] || this.materialNames.length > 1 ? this.materialColour(material) : theme.fixed);
        if (this.dynamic[b]) scratch.offsetHSL(0.018 * jitter(b, 0), 0, 0.065 * jitter(b, 1));
    }
  }

  private gatherFromContacts(frame: Frame): void {
    this.island.fill(-1);
    this.depth.fill(0);
    const { contacts } = frame;
    if (!contacts) return;
    for (let k = 0; k < contacts.count; ++k) {
      const overlap = -contacts.gap[k]!;
      for (const body of [contacts.bodyA[k]!, contacts.bodyB[k]!]) {
        if (body >= this.bodies.length) continue;
        this.island[body] = contacts.island[k]!;
        if (overlap > this.depth[body]!) this.depth[body] = overlap;
      }
    }
  }
}
