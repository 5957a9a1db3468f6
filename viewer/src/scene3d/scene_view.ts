import { AmbientLight, Box3, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, HemisphereLight, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, type Raycaster, Scene, SphereGeometry, Vector3 } from 'three';
import type { Frame } from '../data/frame';
import type { SceneHeader } from '../wire/messages';
import { BodiesLayer } from './bodies_layer';
import { ContactsLayer } from './contacts_layer';
import { Grid } from './grid';
import { HalfSpaces } from './half_spaces';
import { JointsLayer } from './joints_layer';
import type { Theme } from './palette';
import { tableTop } from './table_top';

/** that move: so few are shown with what holds them, and with the ground */
const fewWithJoints = 7;
const fewWithGround = 3;
/** of their size: how far below the ground may be, to be shown */
const farthestGround = 150;

/** Takes the part of a plane into the box that lies under it, a little wider than the box. */
function addFoot(box: Box3, plane: Matrix4, size: number): void {
  const normal = new Vector3().setFromMatrixColumn(plane, 2);
  const centre = box.getCenter(new Vector3());
  const height = centre.clone().sub(new Vector3().setFromMatrixPosition(plane)).dot(normal);
  if (!(height >= 0 && height < farthestGround * size)) return;
  const foot = centre.addScaledVector(normal, -height);
  const extent = box.getSize(new Vector3());
  for (const column of [0, 1]) {
    const along = new Vector3().setFromMatrixColumn(plane, column);
    const own = Math.abs(along.x) * extent.x + Math.abs(along.y) * extent.y + Math.abs(along.z) * extent.z;
    const reach = Math.max(0.75 * own, 0.1 * height);
    for (const side of [-1, 1]) box.expandByPoint(foot.clone().addScaledVector(along, side * reach));
  }
}

/** What one run looks like: a scene with bodies and ground, and one that is drawn over it with contacts and marks. */
export class SceneView {
  readonly scene = new Scene();
  readonly overlay = new Scene();
  readonly bodies: BodiesLayer;
  readonly contacts: ContactsLayer;
  readonly joints: JointsLayer;
  readonly grid: Grid;
  readonly size: number;
  readonly low: Vector3;
  readonly high: Vector3;
  private readonly halfSpaces: HalfSpaces;
  private readonly sun = new DirectionalLight();
  private readonly sky = new HemisphereLight();
  private readonly springLine: Line;
  private readonly measureLine: Line;
  private readonly measureEnds: Mesh[];
  private gridPlaced = false;
  /** what the shadows reach, and the time (s) of the frame by which that was chosen */
  private sunny: { box: Box3; size: number; time: number } | null = null;

  constructor(
    private readonly header: SceneHeader,
    theme: Theme,
  ) {
    this.low = new Vector3(...header.bounds.min);
    this.high = new Vector3(...header.bounds.max);
    if (!(this.low.x <= this.high.x)) {
      this.low.setScalar(-0.5);
      this.high.setScalar(0.5);
    }
    this.size = Math.max(1e-3, this.low.distanceTo(this.high));
    const centre = this.low.clone().add(this.high).multiplyScalar(0.5);
    const thickness = header.planar ? 0.06 * this.size : 0.02 * this.size;
    this.bodies = new BodiesLayer(header.bodies, header.planar, thickness, theme);
    this.contacts = new ContactsLayer(
      this.bodies.typicalRadius(),
      header.bodies.map((b) => b.mobility === 'dynamic'),
      header.gravity,
    );
    this.joints = new JointsLayer(header.joints ?? [], this.bodies.typicalRadius(), theme);
    this.halfSpaces = new HalfSpaces(header.bodies, centre, this.size, header.planar, thickness, theme);
    this.grid = new Grid(theme);
    this.springLine = this.makeLine(2);
    this.measureLine = this.makeLine(2);
    const end = new SphereGeometry(0.004 * this.size, 12, 8);
    this.measureEnds = [0, 1].map(() => new Mesh(end, new MeshBasicMaterial()));
    for (const mesh of this.measureEnds) mesh.visible = false;
    this.scene.add(this.bodies.group, this.halfSpaces.group, this.grid.mesh, this.sky, new AmbientLight('#fff', 0.15));
    this.overlay.add(this.joints.group, this.contacts.group, this.bodies.selection.group, this.springLine, this.measureLine, ...this.measureEnds);
    this.addSun();
    this.placeSun(centre, this.size);
    this.setTheme(theme);
    this.grid.setPlane(this.gridFrame(thickness));
  }

  setTheme(theme: Theme): void {
    this.scene.background = new Color(theme.background);
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.bounce);
    this.sky.intensity = theme.skyIntensity;
    this.sun.intensity = theme.sunIntensity;
    this.bodies.setTheme(theme);
    this.joints.setTheme(theme);
    this.halfSpaces.setTheme(theme);
    this.grid.setTheme(theme);
    (this.springLine.material as LineBasicMaterial).color.set(theme.accent);
    (this.measureLine.material as LineBasicMaterial).color.set(theme.accent);
    for (const mesh of this.measureEnds) (mesh.material as MeshBasicMaterial).color.set(theme.accent);
  }

  show(frame: Frame): void {
    this.bodies.show(frame);
    this.halfSpaces.show(frame);
    this.contacts.show(frame.contacts);
    this.joints.show(frame);
    if (!this.sunny || Math.abs(frame.time - this.sunny.time) > 0.25) this.followWithSun(frame);
    if (!this.gridPlaced && !this.header.planar) {
      const surface = this.halfSpaces.worldSurface();
      if (surface) this.grid.setPlane(surface);
      this.gridPlaced = true;
    }
  }

  /** Takes a part out of the picture. */
  hide(part: 'bodies' | 'contacts' | 'joints' | 'ground'): void {
    (part === 'ground' ? this.halfSpaces : this[part]).group.visible = false;
  }

  showSpring(from: Vector3 | null, to: Vector3 | null): void {
    this.setLine(this.springLine, from, to);
  }

  showMeasure(points: Vector3[]): void {
    this.setLine(this.measureLine, points[0] ?? null, points[1] ?? null);
    this.measureEnds.forEach((mesh, i) => {
      const point = points[i];
      mesh.visible = point !== undefined;
      if (point) mesh.position.copy(point);
    });
  }

  /** `ground`: half-spaces too */
  pick(raycaster: Raycaster, ground: boolean) {
    const body = this.bodies.pick(raycaster);
    const under = ground ? this.halfSpaces.pick(raycaster) : null;
    return under && !(body && body.distance <= under.distance) ? under : body;
  }

  /** Few bodies alone in the picture tell little: what holds them, and the ground that they are over, belong to it. */
  addSurroundings(box: Box3): void {
    const movers = this.header.bodies.reduce((n, b) => n + (b.mobility === 'dynamic' ? (b.nodes ?? 1) : 0), 0);
    if (movers > fewWithJoints) return;
    const size = box.min.distanceTo(box.max);
    const near = box.clone().expandByScalar(2 * size);
    for (const anchor of this.joints.anchors()) if (near.containsPoint(anchor)) box.expandByPoint(anchor);
    const ground = this.halfSpaces.worldSurface() ?? (this.header.planar ? null : tableTop(this.header.bodies));
    if (ground && movers <= fewWithGround) addFoot(box, ground, size);
  }

  dispose(): void {
    this.bodies.dispose();
    this.contacts.dispose();
    this.joints.dispose();
    this.halfSpaces.dispose();
    this.grid.dispose();
    this.sun.dispose();
  }

  private makeLine(points: number): Line {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(3 * points), 3));
    const line = new Line(geometry, new LineBasicMaterial({ depthTest: false }));
    line.frustumCulled = false;
    line.visible = false;
    return line;
  }

  private setLine(line: Line, from: Vector3 | null, to: Vector3 | null): void {
    line.visible = from !== null && to !== null;
    if (!from || !to) return;
    const position = line.geometry.getAttribute('position');
    position.setXYZ(0, from.x, from.y, from.z);
    position.setXYZ(1, to.x, to.y, to.z);
    position.needsUpdate = true;
  }

  /** The shadows' pixels go to what moves, with room to fall over, not to the far ends of a floor. */
  private followWithSun(frame: Frame): void {
    const box = this.bodies.bounds([frame], new Box3(this.low, this.high).expandByScalar(this.size));
    if (!box) return;
    const size = Math.min(this.size, 1.4 * box.min.distanceTo(box.max));
    // Shadows change a little with their pixels: seldom, then.
    const { sunny } = this;
    if (sunny && sunny.box.containsBox(box) && size > 0.6 * sunny.size) {
      sunny.time = frame.time;
      return;
    }
    this.sunny = { box: box.clone().expandByScalar(0.25 * size), size, time: frame.time };
    this.placeSun(box.getCenter(new Vector3()), size);
  }

  private addSun(): void {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 4;
    this.scene.add(this.sun, this.sun.target);
  }

  /** `size`: of what throws shadows and gets them */
  private placeSun(centre: Vector3, size: number): void {
    const { sun } = this;
    const direction = this.header.planar ? new Vector3(-0.35, -1, 0.9) : new Vector3(0.5, -0.42, 1.1);
    sun.position.copy(centre).addScaledVector(direction.normalize(), 3 * size);
    sun.target.position.copy(centre);
    const reach = 1.1 * size;
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 8 * size });
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.0015 * size;
  }

  private gridFrame(thickness: number): Matrix4 {
    // A planar scene is looked at from the side: its grid stands behind the bodies.
    if (this.header.planar) return new Matrix4().makeRotationX(Math.PI / 2).setPosition(0, thickness, 0);
    return tableTop(this.header.bodies) ?? new Matrix4().makeTranslation(0, 0, this.low.z);
  }
}
