import { BoxGeometry, type BufferGeometry, Color, Group, IcosahedronGeometry, MeshBasicMaterial, Quaternion, TorusGeometry, Vector3 } from 'three';
import type { Frame } from '../data/frame';
import type { Joint, JointFrame } from '../wire/messages';
import { Marks, placeAlong, rod } from './marks';
import type { Theme } from './palette';

/** A joint that is off by more than this part of a body's size, or by more radians, is drawn in the colour of warnings. */
const farOff = 0.01;

const along = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

/** One frame of a joint where its body is now. */
class Placed {
  readonly at = new Vector3();
  readonly turn = new Quaternion();
  private readonly local = new Vector3();

  set(frame: Frame, body: number, joint: JointFrame): void {
    const [w, x, y, z] = joint.orientation;
    this.turn.set(x, y, z, w);
    this.at.set(...joint.position);
    if (body < 0 || body >= frame.bodies) return;
    const q = frame.orientation;
    const p = frame.position;
    const of = new Quaternion(q[4 * body + 1], q[4 * body + 2], q[4 * body + 3], q[4 * body]);
    this.at.applyQuaternion(of).add(this.local.set(p[3 * body]!, p[3 * body + 1]!, p[3 * body + 2]!));
    this.turn.premultiply(of);
  }

  axis(name: 'x' | 'y' | 'z', into: Vector3): Vector3 {
    return into.copy(along[name]).applyQuaternion(this.turn);
  }
}

/**
 * Draws joints where their bodies are: a ball at the anchor (a cube where all is held), rods along the axes they turn about or
 * slide along, a ring where planar bodies turn, a line between the points of a distance.
 */
export class JointsLayer {
  readonly group = new Group();
  only = -1;
  private readonly balls: Marks;
  private readonly cubes: Marks;
  private readonly rings: Marks;
  private readonly rods: Marks;
  private readonly colour = new Color();
  private readonly warning = new Color();
  private readonly first = new Placed();
  private readonly second = new Placed();
  private readonly direction = new Vector3();
  private frame: Frame | null = null;

  constructor(
    private readonly joints: Joint[],
    private readonly size: number,
    theme: Theme,
  ) {
    const marks = (geometry: BufferGeometry) => new Marks(this.group, geometry, new MeshBasicMaterial());
    this.balls = marks(new IcosahedronGeometry(1, 1));
    this.cubes = marks(new BoxGeometry(2, 2, 2));
    this.rings = marks(new TorusGeometry(1, 0.22, 8, 24));
    this.rods = marks(rod());
    // A universal joint has two axes, each drawn to both sides.
    for (const m of this.all()) m.reserve(4 * joints.length);
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    this.colour.set(theme.joint);
    this.warning.set(theme.threshold);
    if (this.frame) this.show(this.frame);
  }

  setVisible(visible: boolean): void {
    this.group.visible = visible;
  }

  /** Where the joints are, on both of their bodies. */
  anchors(): Vector3[] {
    const { frame } = this;
    if (!frame) return [];
    return this.joints.flatMap((joint) => {
      this.first.set(frame, joint.first, joint.frame_first);
      this.second.set(frame, joint.second, joint.frame_second);
      return [this.first.at.clone(), this.second.at.clone()];
    });
  }

  /** Joints that are drawn. */
  drawn(): number {
    return this.group.visible && this.frame ? this.joints.length : 0;
  }

  show(frame: Frame): void {
    this.frame = frame;
    const used = new Map<Marks, number>(this.all().map((m) => [m, 0]));
    const put = (marks: Marks, at: Vector3, direction: Vector3, width: number, length: number, colour: Color) => {
      const i = used.get(marks)!;
      used.set(marks, i + 1);
      const out = marks.mesh.instanceMatrix.array as Float32Array;
      placeAlong(out, 16 * i, at.x, at.y, at.z, direction.x, direction.y, direction.z, width, length);
      marks.mesh.setColorAt(i, colour);
    };
    this.joints.forEach((joint, j) => {
      if (this.only >= 0 && joint.first !== this.only && joint.second !== this.only) return;
      this.first.set(frame, joint.first, joint.frame_first);
      this.second.set(frame, joint.second, joint.frame_second);
      this.draw(joint, this.isFarOff(frame, j) ? this.warning : this.colour, put);
    });
    for (const [marks, count] of used) marks.done(count);
  }

  dispose(): void {
    for (const marks of this.all()) marks.dispose();
  }

  private draw(
    joint: Joint,
    colour: Color,
    put: (marks: Marks, at: Vector3, direction: Vector3, width: number, length: number, colour: Color) => void,
  ): void {
    const { size, first, second, direction } = this;
    const anchor = (at: Vector3, scale = 1) => put(this.balls, at, along.z, 0.12 * scale * size, 0.12 * scale * size, colour);
    const axis = (frame: Placed, name: 'x' | 'z', length: number) => {
      frame.axis(name, direction);
      for (let side = 0; side < 2; ++side) {
        put(this.rods, first.at, direction, 0.035 * size, length * size, colour);
        direction.negate();
      }
    };
    switch (joint.type) {
      case 'fixed':
        put(this.cubes, first.at, first.axis('z', direction), 0.1 * size, 0.1 * size, colour);
        break;
      case 'distance': {
        direction.copy(second.at).sub(first.at);
        const length = direction.length();
        if (length > 0) put(this.rods, first.at, direction.divideScalar(length), 0.025 * size, length, colour);
        anchor(first.at, 0.8);
        anchor(second.at, 0.8);
        break;
      }
      case 'revolute':
        put(this.rings, first.at, along.y, 0.15 * size, 0.15 * size, colour);
        break;
      case 'universal':
        axis(second, 'z', 0.5);
        axis(first, 'x', 0.5);
        anchor(first.at, 0.8);
        break;
      case 'hinge':
        axis(second, 'z', 0.5);
        anchor(first.at, 0.8);
        break;
      case 'slider':
      case 'prismatic':
        axis(second, 'z', 0.8);
        put(this.cubes, first.at, second.axis('z', direction), 0.09 * size, 0.13 * size, colour);
        break;
      case 'ball':
        anchor(first.at);
        break;
    }
  }

  private isFarOff(frame: Frame, j: number): boolean {
    const { joints } = frame;
    return joints !== null && (joints.violation[j]! > farOff * this.size || joints.angleViolation[j]! > farOff);
  }

  private all(): Marks[] {
    return [this.balls, this.cubes, this.rings, this.rods];
  }
}
