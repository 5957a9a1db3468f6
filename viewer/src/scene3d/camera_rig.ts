import { type Camera, MathUtils, OrthographicCamera, PerspectiveCamera, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export type ViewDirection = 'quarter' | 'front' | 'side' | 'top';

const directions: Record<ViewDirection, Vector3> = {
  quarter: new Vector3(0.62, -1, 0.48).normalize(),
  front: new Vector3(0, -1, 0),
  side: new Vector3(1, 0, 0),
  top: new Vector3(0, -1e-4, 1).normalize(),
};

/** What corners span in one direction of the picture; see CameraRig.fit. */
class Span {
  half = 0;
  private plus = -Infinity;
  private minus = -Infinity;

  constructor(private readonly slope: number) {}

  add(x: number, depth: number): void {
    this.half = Math.max(this.half, Math.abs(x));
    this.plus = Math.max(this.plus, this.slope * depth + x);
    this.minus = Math.max(this.minus, this.slope * depth - x);
  }

  distance(): number {
    return (this.plus + this.minus) / (2 * this.slope);
  }

  shift(): number {
    return (this.plus - this.minus) / 2;
  }
}

/** One camera for all views: perspective or orthographic, moved by OrbitControls; z is up. */
export class CameraRig {
  readonly perspective = new PerspectiveCamera(32, 1, 0.01, 1000);
  readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  readonly controls: OrbitControls;
  changed = true;
  private aspect = 1;
  private flat = false;
  /** half of the height that the orthographic camera shows at zoom 1 */
  private halfHeight = 1;
  private sceneSize = 1;

  constructor(element: HTMLElement) {
    this.perspective.up.set(0, 0, 1);
    this.orthographic.up.set(0, 0, 1);
    this.perspective.position.copy(directions.quarter);
    this.controls = new OrbitControls(this.perspective, element);
    this.controls.enableDamping = false;
    this.controls.screenSpacePanning = true;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => {
      this.changed = true;
    });
  }

  get camera(): Camera {
    return this.flat ? this.orthographic : this.perspective;
  }

  get orthographicView(): boolean {
    return this.flat;
  }

  setOrthographic(flat: boolean): void {
    if (flat === this.flat) return;
    const from = this.camera;
    const extent = this.extent();
    this.flat = flat;
    const to = flat ? this.orthographic : this.perspective;
    to.position.copy(from.position);
    if (flat) {
      this.halfHeight = extent / 2;
      this.orthographic.zoom = 1;
    } else {
      const away = to.position.clone().sub(this.controls.target).setLength(this.distanceFor(extent));
      to.position.copy(this.controls.target).add(away);
    }
    this.controls.object = to;
    this.apply();
  }

  setAspect(aspect: number): void {
    if (Math.abs(aspect - this.aspect) < 1e-6) return;
    this.aspect = aspect;
    this.apply();
  }

  look(direction: ViewDirection): void {
    const { camera } = this;
    const distance = camera.position.distanceTo(this.controls.target);
    camera.position.copy(this.controls.target).addScaledVector(directions[direction], distance);
    this.apply();
  }

  /**
   * Frames a box from the present direction, as near as it goes. A corner with x to the right, y up and z towards the eye, seen from the
   * distance d with the middle of the picture shifted by s, is inside when |x - s| <= k (d - z), k being the slope of the picture's
   * edge. With A = max(x + k z) and B = max(k z - x) over the corners this holds for all of them from k d = (A + B) / 2 on, at
   * s = (A - B) / 2.
   */
  fit(low: Vector3, high: Vector3): void {
    const { camera } = this;
    const away = camera.position.clone().sub(this.controls.target).normalize();
    if (away.lengthSq() < 0.5) away.copy(directions.quarter);
    const centre = low.clone().add(high).multiplyScalar(0.5);
    this.sceneSize = Math.max(1e-6, low.distanceTo(high));
    const right = new Vector3().crossVectors(camera.up, away).normalize();
    const up = new Vector3().crossVectors(away, right);
    const slopeY = Math.tan(MathUtils.degToRad(this.perspective.fov / 2));
    const across = new Span(slopeY * this.aspect);
    const upwards = new Span(slopeY);
    const corner = new Vector3();
    for (let i = 0; i < 8; ++i) {
      corner.set(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z).sub(centre);
      const depth = corner.dot(away);
      across.add(corner.dot(right), depth);
      upwards.add(corner.dot(up), depth);
    }
    const margin = 1.12;
    const distance = margin * Math.max(across.distance(), upwards.distance(), 0.1 * this.sceneSize);
    this.halfHeight = margin * Math.max(upwards.half, across.half / this.aspect, 1e-6);
    this.orthographic.zoom = 1;
    this.controls.target.copy(centre);
    // Without perspective the middle of a box is in the middle of its picture.
    if (!this.flat) this.controls.target.addScaledVector(right, across.shift()).addScaledVector(up, upwards.shift());
    this.perspective.position.copy(this.controls.target).addScaledVector(away, distance);
    this.orthographic.position.copy(this.controls.target).addScaledVector(away, 3 * this.sceneSize);
    this.apply();
  }

  /** Moves with a body that is followed. */
  shift(by: Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.apply();
  }

  /** Moves by keys, to the right and up, a twelfth of the picture's height at a time. */
  pan(right: number, up: number): void {
    const { elements } = this.camera.matrixWorld;
    const step = this.extent() / 12;
    const by = new Vector3(elements[0], elements[1], elements[2]).multiplyScalar(step * right);
    this.shift(by.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), step * up));
  }

  /** Turns and zooms by keys. Angles in radians; zoom > 1 goes nearer. */
  turn(azimuth: number, elevation: number, zoom: number): void {
    const { camera, controls } = this;
    const offset = camera.position.clone().sub(controls.target);
    // Spherical measures from y: turn z up into it and back.
    const polar = new Spherical().setFromVector3(new Vector3(offset.x, offset.z, -offset.y));
    polar.theta += azimuth;
    polar.phi = MathUtils.clamp(polar.phi - elevation, 0.01, Math.PI - 0.01);
    if (this.flat) this.orthographic.zoom *= zoom;
    else polar.radius /= zoom;
    const turned = new Vector3().setFromSpherical(polar);
    camera.position.copy(controls.target).add(new Vector3(turned.x, -turned.z, turned.y));
    this.apply();
  }

  /** Height in metres that the view shows at the target. */
  extent(): number {
    if (this.flat) return (2 * this.halfHeight) / this.orthographic.zoom;
    const distance = this.perspective.position.distanceTo(this.controls.target);
    return 2 * distance * Math.tan(MathUtils.degToRad(this.perspective.fov / 2));
  }

  update(): void {
    this.controls.update();
    if (!this.flat) {
      // The depth buffer's precision goes where the scene is.
      const distance = this.perspective.position.distanceTo(this.controls.target);
      const near = Math.max(distance / 60, Math.min(distance / 10, distance - 4 * this.sceneSize));
      if (Math.abs(near / this.perspective.near - 1) > 0.02) {
        this.perspective.near = near;
        this.perspective.far = distance * 4 + 40 * this.sceneSize;
        this.perspective.updateProjectionMatrix();
      }
    }
  }

  private distanceFor(extent: number): number {
    return extent / (2 * Math.tan(MathUtils.degToRad(this.perspective.fov / 2)));
  }

  private apply(): void {
    const { orthographic: o, perspective: p } = this;
    p.aspect = this.aspect;
    p.updateProjectionMatrix();
    o.left = -this.halfHeight * this.aspect;
    o.right = this.halfHeight * this.aspect;
    o.top = this.halfHeight;
    o.bottom = -this.halfHeight;
    o.near = -60 * this.sceneSize;
    o.far = 60 * this.sceneSize;
    o.updateProjectionMatrix();
    this.controls.update();
    this.changed = true;
  }
}
