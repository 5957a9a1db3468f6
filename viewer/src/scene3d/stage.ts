import { BasicShadowMap, Box3, PCFSoftShadowMap, Raycaster, Vector2, type Vector3, WebGLRenderer } from 'three';
import type { Frame } from '../data/frame';
import { CameraRig } from './camera_rig';
import { drawsInSoftware, Quality, type QualityLevel } from './quality';
import type { SceneView } from './scene_view';

export interface Pick {
  view: number;
  body: number;
  /** of the body; -1: none */
  node: number;
  point: Vector3;
}

/** of a drawing buffer with more than one sample a pixel */
const mostPixels = 2 ** 25;

/** The canvas: draws one view, or two next to each other with the same camera. */
export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly rig: CameraRig;
  views: SceneView[] = [];
  /** contacts lie between bodies: normally they are drawn over them */
  seeThrough = true;
  dirty = true;
  /** while time goes on the next picture is never far: no time for one in full quality */
  playing = false;
  /** a body is in somebody's hand: the next picture is awaited */
  pulling = false;
  private readonly renderer: WebGLRenderer;
  private readonly raycaster = new Raycaster();
  private readonly pointer = new Vector2();
  private readonly quality: Quality;
  /** WebGL is done by the processor */
  readonly software: boolean;
  private drawn: QualityLevel | null = null;
  private shadowsWanted = true;
  private shadowsDrawn = 0;
  private width = 1;
  private height = 1;

  constructor(private readonly holder: HTMLElement) {
    this.software = drawsInSoftware();
    this.quality = new Quality(this.software);
    this.renderer = new WebGLRenderer({ antialias: !this.software, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', '3-D view. Arrow keys turn it, plus and minus zoom, F fits.');
    holder.append(this.canvas);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    // A shadow map is drawn again only when a body moved, not with the camera.
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.autoClear = false;
    this.renderer.info.autoReset = false; // a picture is made of several passes
    this.rig = new CameraRig(this.canvas);
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
  }

  /**
   * To be called before views are made. Soft shadows look up each pixel's surroundings, most of the cost of a picture in software:
   * a live run, whose pictures answer to a hand, has hard ones there.
   */
  setLive(live: boolean): void {
    this.renderer.shadowMap.type = live && this.software ? BasicShadowMap : PCFSoftShadowMap;
  }

  setViews(views: SceneView[]): void {
    for (const view of this.views) if (!views.includes(view)) view.dispose();
    this.views = views;
    this.rig.setAspect(this.viewAspect());
    this.moved();
  }

  /** To be called when bodies moved: shadows follow. */
  moved(): void {
    this.shadowsWanted = true;
    this.dirty = true;
  }

  /** Draws if anything changed, or once more in full quality after a motion. */
  render(now: number): boolean {
    this.rig.update();
    const moving = this.dirty || this.rig.changed;
    const level = moving ? this.quality.next(now, this.pulling) : this.drawn && !this.playing && this.quality.settled(now, this.drawn);
    if (!level) return false;
    this.draw(level, now);
    return true;
  }

  /** Draws now, in the quality of a picture at rest. */
  drawInFull(): void {
    this.rig.update();
    this.shadowsWanted = true;
    this.draw(this.quality.rest, performance.now());
  }

  private draw(level: QualityLevel, now: number): void {
    this.useLevel(level);
    this.dirty = false;
    this.rig.changed = false;
    const { renderer } = this;
    const shadows = this.shadowsWanted && now - this.shadowsDrawn >= level.shadowInterval;
    if (shadows) {
      this.shadowsWanted = false;
      this.shadowsDrawn = now;
    }
    renderer.info.reset();
    renderer.setScissorTest(true);
    this.views.forEach((view, i) => {
      const [x, y, w, h] = this.viewport(i);
      view.grid.update(this.rig.controls.target, this.rig.extent());
      view.bodies.seenBy(this.rig.camera, h, renderer.getPixelRatio());
      renderer.shadowMap.needsUpdate = shadows;
      // Three's viewports count from below.
      renderer.setViewport(x, this.height - y - h, w, h);
      renderer.setScissor(x, this.height - y - h, w, h);
      renderer.clear();
      renderer.render(view.scene, this.rig.camera);
      if (this.seeThrough) renderer.clearDepth();
      renderer.render(view.overlay, this.rig.camera);
    });
    if (this.views.length === 0) {
      renderer.setViewport(0, 0, this.width, this.height);
      renderer.setScissor(0, 0, this.width, this.height);
      renderer.clear();
    }
  }

  /** Draw calls and triangles of the last picture. */
  info(): { calls: number; triangles: number } {
    return { calls: this.renderer.info.render.calls, triangles: this.renderer.info.render.triangles };
  }

  /** Frames what is shown, or what is there in any of these frames. */
  fit(frames: Frame[] = []): void {
    const view = this.views[0];
    if (!view) return;
    const shown = view.bodies.shown();
    const reach = new Box3(view.low, view.high).expandByScalar(2 * view.size);
    const box = view.bodies.bounds([...frames, ...(shown ? [shown] : [])], reach);
    if (box) view.addSurroundings(box);
    if (box) this.rig.fit(box.min, box.max);
    else this.rig.fit(view.low, view.high);
  }

  /** What is under a pixel of the page; `ground`: half-spaces too. */
  pick(x: number, y: number, ground = false): Pick | null {
    const view = this.aim(x, y);
    const hit = view === null ? null : this.views[view]!.pick(this.raycaster, ground);
    return hit ? { view: view!, body: hit.body, node: hit.node, point: hit.point } : null;
  }

  /** The ray through a pixel of the page, or null outside of the views. */
  ray(x: number, y: number): { origin: Vector3; direction: Vector3 } | null {
    if (this.aim(x, y) === null) return null;
    return { origin: this.raycaster.ray.origin.clone(), direction: this.raycaster.ray.direction.clone() };
  }

  /** Where a point of the world is on the page, in CSS pixels. */
  toPage(point: Vector3, view = 0): { x: number; y: number } {
    const p = point.clone().project(this.rig.camera);
    const [x, y, w, h] = this.viewport(view);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + x + ((p.x + 1) / 2) * w, y: box.top + y + ((1 - p.y) / 2) * h };
  }

  /** CSS pixels per metre at the camera's target. */
  pixelsPerMetre(): number {
    return this.viewport(0)[3] / this.rig.extent();
  }

  /** Left, top, width, height of a view in CSS pixels of the canvas. */
  viewport(index: number): [number, number, number, number] {
    const n = Math.max(1, this.views.length);
    if (n === 1) return [0, 0, this.width, this.height];
    // Side by side unless that would leave two slits.
    if (this.width >= 520) {
      const w = Math.floor(this.width / n);
      return [index * w, 0, w, this.height];
    }
    const h = Math.floor(this.height / n);
    return [0, index * h, this.width, h];
  }

  private viewAspect(): number {
    const [, , w, h] = this.viewport(0);
    return w / Math.max(1, h);
  }

  private aim(x: number, y: number): number | null {
    const box = this.canvas.getBoundingClientRect();
    const px = x - box.left;
    const py = y - box.top;
    for (let i = 0; i < this.views.length; ++i) {
      const [left, top, w, h] = this.viewport(i);
      if (px < left || py < top || px > left + w || py > top + h) continue;
      this.pointer.set(((px - left) / w) * 2 - 1, 1 - ((py - top) / h) * 2);
      this.raycaster.setFromCamera(this.pointer, this.rig.camera);
      return i;
    }
    return null;
  }

  private useLevel(level: QualityLevel): void {
    if (level === this.drawn) return;
    this.drawn = level;
    this.applySize();
  }

  private applySize(): void {
    const { width, height } = this;
    const wanted = Math.min(2, window.devicePixelRatio * (this.drawn?.resolution ?? 1));
    // Several samples a pixel only as far as there is room for them.
    this.renderer.setPixelRatio(Math.min(wanted, Math.max(1, Math.sqrt(mostPixels / (width * height)))));
    this.renderer.setSize(this.width, this.height);
  }

  private resize(): void {
    this.width = Math.max(1, this.holder.clientWidth);
    this.height = Math.max(1, this.holder.clientHeight);
    this.applySize();
    this.rig.setAspect(this.viewAspect());
    this.dirty = true;
  }
}
