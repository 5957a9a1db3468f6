import { BoxGeometry, CanvasTexture, CircleGeometry, Color, Group, Matrix4, Mesh, MeshLambertMaterial, Quaternion, type Raycaster, Vector3 } from 'three';
import type { Frame } from '../data/frame';
import type { Body } from '../wire/messages';
import type { PickedBody } from './bodies_layer';
import type { Theme } from './palette';

/** Opaque in the middle, gone at the rim: an endless plane needs an end that does not look like one. */
function fadingRim(): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 256;
  const context = canvas.getContext('2d')!;
  const fade = context.createRadialGradient(128, 128, 40, 128, 128, 128);
  fade.addColorStop(0, '#fff');
  fade.addColorStop(1, '#000');
  context.fillStyle = fade;
  context.fillRect(0, 0, 256, 256);
  return new CanvasTexture(canvas);
}

/** Draws half-spaces: as large disks, or in planar scenes as slabs whose section fills what lies below the surface. */
export class HalfSpaces {
  readonly group = new Group();
  /** surface frame of the first half-space at the start, for the grid */
  readonly surface: Matrix4 | null;
  private readonly planes: { mesh: Mesh; body: number; local: Matrix4 }[] = [];
  private readonly material: MeshLambertMaterial;
  private readonly pose = new Matrix4();
  private readonly one = new Vector3(1, 1, 1);
  private readonly at = new Vector3();
  private readonly turn = new Quaternion();

  constructor(bodies: Body[], centre: Vector3, size: number, planar: boolean, thickness: number, theme: Theme) {
    this.material = planar
      ? new MeshLambertMaterial()
      : new MeshLambertMaterial({ transparent: true, alphaMap: fadingRim() });
    let surface: Matrix4 | null = null;
    bodies.forEach((body, b) => {
      for (const shape of body.shapes) {
        if (shape.type !== 'half_space') continue;
        const [w, x, y, z] = shape.orientation;
        const local = new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), this.one);
        const inFrame = centre.clone().applyMatrix4(local.clone().invert());
        // The middle of what is drawn lies under the scene, wherever the half-space has its origin.
        const geometry = planar
          ? new BoxGeometry(6 * size, 1.5 * thickness, 3 * size).translate(inFrame.x, 0, -1.5 * size)
          : new CircleGeometry(5 * size, 96).translate(inFrame.x, inFrame.y, 0);
        const mesh = new Mesh(geometry, this.material);
        mesh.receiveShadow = true;
        mesh.matrixAutoUpdate = false;
        mesh.renderOrder = -2;
        this.planes.push({ mesh, body: b, local });
        this.group.add(mesh);
        surface ??= local.clone();
      }
    });
    this.surface = surface;
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    this.material.color = new Color(theme.ground);
  }

  show(frame: Frame): void {
    for (const { mesh, body, local } of this.planes) {
      if (body >= frame.bodies) continue;
      const p = frame.position;
      const q = frame.orientation;
      this.at.set(p[3 * body]!, p[3 * body + 1]!, p[3 * body + 2]!);
      this.turn.set(q[4 * body + 1]!, q[4 * body + 2]!, q[4 * body + 3]!, q[4 * body]!);
      this.pose.compose(this.at, this.turn, this.one);
      mesh.matrix.multiplyMatrices(this.pose, local);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /** The first half-space's surface frame in the world, as it is shown. */
  worldSurface(): Matrix4 | null {
    return this.planes[0]?.mesh.matrix ?? null;
  }

  /** The body of the half-space under the ray and the point where it is hit. */
  pick(raycaster: Raycaster): PickedBody | null {
    let best: PickedBody | null = null;
    for (const { mesh, body } of this.planes) {
      const [hit] = raycaster.intersectObject(mesh, false);
      if (hit && !(best && best.distance <= hit.distance)) best = { body, node: -1, point: hit.point, distance: hit.distance };
    }
    return best;
  }

  dispose(): void {
    for (const { mesh } of this.planes) mesh.geometry.dispose();
    this.material.alphaMap?.dispose();
    this.material.dispose();
  }
}
