import {
  Color,
  InstancedBufferGeometry,
  type InstancedBufferAttribute,
  LineSegments,
  ShaderMaterial,
  type BufferAttribute,
  type InterleavedBufferAttribute,
} from 'three';

/** Edges are pulled a little towards the camera (by `pull` metres in orthographic views), or the faces they bound would hide half of each. */
export function makeEdgeMaterial(pull: number): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { colour: { value: new Color() }, opacity: { value: 1 }, pull: { value: pull } },
    vertexShader: `
      attribute mat4 placement;
      uniform float pull;
      void main() {
        vec4 place = viewMatrix * placement * vec4(position, 1.0);
        // Towards the eye along the line of sight: the edge stays where it is on the screen.
        if (isOrthographic) place.z += pull;
        else place.xyz *= 0.9992;
        gl_Position = projectionMatrix * place;
      }`,
    fragmentShader: `
      uniform vec3 colour;
      uniform float opacity;
      void main() {
        gl_FragColor = vec4(colour, opacity);
        #include <colorspace_fragment>
      }`,
  });
}

/** The edges of all instances of a mesh in one call; they share the mesh's matrices. */
export function makeEdgeLines(
  points: BufferAttribute | InterleavedBufferAttribute,
  placement: InstancedBufferAttribute,
  material: ShaderMaterial,
): LineSegments {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', points);
  geometry.setAttribute('placement', placement);
  geometry.instanceCount = placement.count;
  const result = new LineSegments(geometry, material);
  result.frustumCulled = false;
  result.renderOrder = 1;
  return result;
}
