import { BufferAttribute, type BufferGeometry, Color, ConeGeometry, DoubleSide, Group, IcosahedronGeometry, MeshBasicMaterial } from 'three';
import type { Contacts } from '../data/frame';
import { Marks, placeAlong, rod } from './marks';
import { logPlace, modeColours, ramp, residualRange } from './palette';

export type ContactColouring = 'mode' | 'residual';
export type ContactMark = 'points' | 'normals' | 'impulses' | 'cones';
export const contactMarks: ContactMark[] = ['points', 'normals', 'impulses', 'cones'];

/** An arrow head with its tip at z = 1 and its foot at z = 0. */
function head(): BufferGeometry {
  return new ConeGeometry(1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
}

/** The surface of a cone with its apex at the origin, of radius 1 at z = 1; fades towards its rim. */
function coneSurface(): BufferGeometry {
  const geometry = new ConeGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
  const n = geometry.getAttribute('position').count;
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * n).fill(1), 3));
  return geometry;
}

/** Draws a frame's contacts: points, normals, impulse arrows and friction cones, each in one instanced call or two. */
export class ContactsLayer {
  readonly group = new Group();
  colouring: ContactColouring = 'mode';
  /** metres per newton-second, before the user's factor; 0 until there was an impulse to take it from */
  impulseScale = 0;
  factor = 1;
  only = -1;
  private readonly visible: Record<ContactMark, boolean> = { points: false, normals: false, impulses: false, cones: false };
  private readonly points: Marks;
  private readonly normals: Marks;
  private readonly shafts: Marks;
  private readonly heads: Marks;
  private readonly cones: Marks;
  private readonly modeColours = modeColours.map((c) => new Color(c));
  private readonly colour = new Color();
  private contacts: Contacts | null = null;

  /** `dynamic`: whether each body is; `gravity` tells what is below */
  constructor(
    private readonly size: number,
    private readonly dynamic: boolean[],
    private readonly gravity: readonly [number, number, number],
  ) {
    const flat = () => new MeshBasicMaterial();
    this.points = new Marks(this.group, new IcosahedronGeometry(1, 0), flat());
    this.normals = new Marks(this.group, rod(), flat());
    this.shafts = new Marks(this.group, rod(), flat());
    this.heads = new Marks(this.group, head(), flat());
    this.cones = new Marks(
      this.group,
      coneSurface(),
      new MeshBasicMaterial({ transparent: true, opacity: 0.2, side: DoubleSide, depthWrite: false }),
    );
    this.applyVisibility();
  }

  setVisible(mark: ContactMark, visible: boolean): void {
    this.visible[mark] = visible;
    this.applyVisibility();
    this.show(this.contacts);
  }

  isVisible(mark: ContactMark): boolean {
    return this.visible[mark];
  }

  any(): boolean {
    return contactMarks.some((m) => this.visible[m]);
  }

  drawn(): number {
    return this.any() ? (this.contacts?.count ?? 0) : 0;
  }

  show(contacts: Contacts | null): void {
    this.contacts = contacts;
    if (!contacts || !this.any()) {
      for (const marks of [this.points, this.normals, this.shafts, this.heads, this.cones]) marks.mesh.count = 0;
      return;
    }
    if (this.impulseScale === 0) this.chooseImpulseScale(contacts);
    const n = contacts.count;
    for (const marks of [this.points, this.normals, this.shafts, this.heads, this.cones]) marks.reserve(n);
    const { size } = this;
    const { point, normal, impulse } = contacts;
    const pointOut = this.points.mesh.instanceMatrix.array as Float32Array;
    const normalOut = this.normals.mesh.instanceMatrix.array as Float32Array;
    const shaftOut = this.shafts.mesh.instanceMatrix.array as Float32Array;
    const headOut = this.heads.mesh.instanceMatrix.array as Float32Array;
    const coneOut = this.cones.mesh.instanceMatrix.array as Float32Array;
    const scale = this.impulseScale * this.factor;
    let used = 0;
    for (let k = 0; k < n; ++k) {
      if (this.only >= 0 && contacts.bodyA[k] !== this.only && contacts.bodyB[k] !== this.only) continue;
      const x = point[3 * k]!;
      const y = point[3 * k + 1]!;
      const z = point[3 * k + 2]!;
      const side = this.side(contacts, k);
      const nx = side * normal[3 * k]!;
      const ny = side * normal[3 * k + 1]!;
      const nz = side * normal[3 * k + 2]!;
      const at = 16 * used;
      this.contactColour(contacts, k);
      if (this.visible.points) {
        const radius = 0.055 * size;
        placeAlong(pointOut, at, x, y, z, 0, 0, 1, radius, radius);
        this.points.mesh.setColorAt(used, this.colour);
      }
      if (this.visible.normals) {
        placeAlong(normalOut, at, x, y, z, nx, ny, nz, 0.014 * size, 0.6 * size);
        this.normals.mesh.setColorAt(used, this.colour);
      }
      if (this.visible.impulses) {
        const px = side * impulse[3 * k]!;
        const py = side * impulse[3 * k + 1]!;
        const pz = side * impulse[3 * k + 2]!;
        const p = Math.sqrt(px * px + py * py + pz * pz);
        const unit = p > 0 ? 1 / p : 0;
        const length = p * scale;
        const headLength = Math.min(0.22 * size, 0.4 * length);
        const dx = p > 0 ? px * unit : 0;
        const dy = py * unit;
        const dz = p > 0 ? pz * unit : 1;
        const shaft = length - headLength;
        placeAlong(shaftOut, at, x, y, z, dx, dy, dz, 0.12 * headLength, shaft);
        placeAlong(headOut, at, x + dx * shaft, y + dy * shaft, z + dz * shaft, dx, dy, dz, 0.36 * headLength, headLength);
        this.shafts.mesh.setColorAt(used, this.colour);
        this.heads.mesh.setColorAt(used, this.colour);
      }
      if (this.visible.cones) {
        // The half-angle is atan(mu): at height h the cone is mu h wide.
        const height = 0.45 * size;
        placeAlong(coneOut, at, x, y, z, nx, ny, nz, height * contacts.mu[k]!, height);
        this.cones.mesh.setColorAt(used, this.colour);
      }
      ++used;
    }
    for (const marks of [this.points, this.normals, this.shafts, this.heads, this.cones]) marks.done(used);
  }

  dispose(): void {
    for (const marks of [this.points, this.normals, this.shafts, this.heads, this.cones]) marks.dispose();
  }

  /**
   * Whose impulse is drawn: 1: that on body a, as recorded; -1: that on b. Of two bodies it is the one that moves, else the one
   * that lies on the other, so that arrows show what holds bodies up.
   */
  private side(contacts: Contacts, k: number): 1 | -1 {
    const a = this.dynamic[contacts.bodyA[k]!] ?? false;
    const b = this.dynamic[contacts.bodyB[k]!] ?? false;
    if (a !== b) return a ? 1 : -1;
    let down = 0;
    for (let i = 0; i < 3; ++i) down += contacts.normal[3 * k + i]! * this.gravity[i]!;
    return down > 0 ? -1 : 1;
  }

  private contactColour(contacts: Contacts, k: number): void {
    if (this.colouring === 'mode') this.colour.copy(this.modeColours[contacts.mode[k]!] ?? this.modeColours[0]!);
    else ramp(logPlace(contacts.residual[k]!, ...residualRange), this.colour);
  }

  /** A large impulse of the first frame that has any becomes as long as two bodies; later ones keep that scale to stay comparable. */
  private chooseImpulseScale(contacts: Contacts): void {
    const sizes: number[] = [];
    for (let k = 0; k < contacts.count; ++k) {
      const p = Math.hypot(contacts.impulse[3 * k]!, contacts.impulse[3 * k + 1]!, contacts.impulse[3 * k + 2]!);
      if (p > 0) sizes.push(p);
    }
    if (sizes.length === 0) return;
    sizes.sort((a, b) => a - b);
    this.impulseScale = (1.6 * this.size) / sizes[Math.floor(0.9 * (sizes.length - 1))]!;
  }

  private applyVisibility(): void {
    this.points.mesh.visible = this.visible.points;
    this.normals.mesh.visible = this.visible.normals;
    this.shafts.mesh.visible = this.visible.impulses;
    this.heads.mesh.visible = this.visible.impulses;
    this.cones.mesh.visible = this.visible.cones;
  }
}
