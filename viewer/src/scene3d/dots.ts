import { Float32BufferAttribute, InstancedBufferGeometry, type InstancedBufferAttribute, Points, ShaderMaterial } from 'three';

/** Dots of `size` pixels of the drawing buffer, `part` of the picture's height. A dot is pulled to the eye by twice its width, or what lies below would hide half of it. */
export function makeDotMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { size: { value: 2 }, part: { value: 0 } },
    vertexShader: `
      attribute mat4 placement;
      attribute vec3 colour;
      uniform float size;
      uniform float part;
      varying vec3 seen;
      void main() {
        // About what a lit and edged surface has in the mean: the plain colours are hardly seen on a light ground.
        seen = 0.4 * colour;
        vec4 place = viewMatrix * vec4(placement[3].xyz, 1.0);
        float pull = 4.0 * part / projectionMatrix[1][1];
        if (isOrthographic) place.z += pull;
        else place.xyz *= 1.0 - pull;
        gl_Position = projectionMatrix * place;
        gl_PointSize = size;
      }`,
    fragmentShader: `
      varying vec3 seen;
      void main() {
        gl_FragColor = vec4(seen, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

/** A dot for each instance of a mesh, in one call; they share the mesh's matrices and colours. */
export function makeDots(placement: InstancedBufferAttribute, colour: InstancedBufferAttribute, material: ShaderMaterial): Points {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute([0, 0, 0], 3));
  geometry.setAttribute('placement', placement);
  geometry.setAttribute('colour', colour);
  geometry.instanceCount = placement.count;
  const result = new Points(geometry, material);
  result.frustumCulled = false;
  result.visible = false;
  return result;
}
