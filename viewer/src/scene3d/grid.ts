import { Color, DoubleSide, Matrix4, Mesh, PlaneGeometry, ShaderMaterial, Vector3 } from 'three';
import type { Theme } from './palette';

/** 1, 2 or 5 times a power of ten, the largest at or below `value`. */
export function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

export function lengthLabel(metres: number): string {
  if (metres >= 1000) return `${Number((metres / 1000).toPrecision(3))} km`;
  if (metres >= 1) return `${Number(metres.toPrecision(3))} m`;
  if (metres >= 0.01) return `${Number((metres * 100).toPrecision(3))} cm`;
  if (metres >= 0.001) return `${Number((metres * 1000).toPrecision(3))} mm`;
  return `${Number((metres * 1e6).toPrecision(3))} µm`;
}

/** A grid on a plane whose spacing follows the view: thin lines every cell, stronger ones every five. */
export class Grid {
  readonly mesh: Mesh;
  spacing = 0;
  private readonly material: ShaderMaterial;
  private readonly inverse = new Matrix4();
  private readonly focus = new Vector3();

  constructor(theme: Theme) {
    this.material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      uniforms: {
        colour: { value: new Color() },
        cell: { value: 1 },
        reach: { value: 10 },
        focus: { value: new Vector3() },
      },
      vertexShader: `
        uniform float reach;
        uniform vec3 focus;
        varying vec2 place;
        void main() {
          place = position.xy * reach + focus.xy;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 0.0, 1.0);
        }`,
      fragmentShader: `
        uniform vec3 colour;
        uniform float cell;
        uniform float reach;
        uniform vec3 focus;
        varying vec2 place;
        float lines(float size) {
          vec2 at = place / size;
          vec2 width = fwidth(at);
          vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
          // Cells smaller than a few pixels fade out instead of flickering.
          vec2 fade = clamp(1.2 - 3.0 * width, 0.0, 1.0);
          vec2 line = (1.0 - min(near, vec2(1.0))) * fade;
          return max(line.x, line.y);
        }
        void main() {
          float far = 1.0 - smoothstep(0.25, 1.0, length(place - focus.xy) / reach);
          float strength = max(0.22 * lines(cell), 0.42 * lines(5.0 * cell)) * far;
          if (strength < 0.004) discard;
          gl_FragColor = vec4(colour, strength);
          #include <colorspace_fragment>
        }`,
    });
    this.mesh = new Mesh(new PlaneGeometry(2, 2), this.material);
    this.mesh.matrixAutoUpdate = false;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    (this.material.uniforms.colour!.value as Color).set(theme.grid);
  }

  /** The plane: x and y of this frame. */
  setPlane(frame: Matrix4): void {
    this.mesh.matrix.copy(frame);
    this.mesh.matrixWorldNeedsUpdate = true;
  }

  /** `extent`: metres that the view shows around `target`. */
  update(target: Vector3, extent: number): void {
    this.spacing = niceBelow(extent / 12);
    this.inverse.copy(this.mesh.matrix).invert();
    this.focus.copy(target).applyMatrix4(this.inverse);
    this.material.uniforms.cell!.value = this.spacing;
    this.material.uniforms.reach!.value = 2.2 * extent;
    (this.material.uniforms.focus!.value as Vector3).copy(this.focus);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
