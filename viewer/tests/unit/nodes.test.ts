// Bodies with nodes: where they are in messages, in the picture, and what a pull of one sends.
import { Box3, type InstancedBufferGeometry, type InstancedMesh, LineSegments, type Matrix4, type Mesh, OrthographicCamera, PerspectiveCamera, Points, Raycaster, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Measuring } from '../../src/app/measuring';
import { Pulling } from '../../src/app/pulling';
import { Session } from '../../src/app/session';
import { type Frame, FramePiece, nodeStarts, placeOf } from '../../src/data/frame';
import { LiveFrames } from '../../src/data/live_frames';
import { BodiesLayer } from '../../src/scene3d/bodies_layer';
import { themes } from '../../src/scene3d/palette';
import type { Pick, Stage } from '../../src/scene3d/stage';
import { decodeMessage } from '../../src/wire/decode';
import type { Body, Request, Shape } from '../../src/wire/messages';
import { chain, framesMessage, pile, sceneHeader, type World } from '../mock/worlds';

const decoded = (world: World, first: number, count: number) => {
  const b = framesMessage(world, first, count, false);
  return decodeMessage(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
};
const frameOf = (world: World, index = 0): Frame => new FramePiece(decoded(world, index, 1)).frame(index);
const bodiesOf = (world: World): Body[] => sceneHeader(world, 'recording', 10, 100, 's').bodies;
const layerOf = (world: World, frame = frameOf(world)): BodiesLayer => {
  const layer = new BodiesLayer(bodiesOf(world), false, 0.01, themes.light);
  layer.show(frame);
  return layer;
};
const everywhere = new Box3(new Vector3(-1e3, -1e3, -1e3), new Vector3(1e3, 1e3, 1e3));
const close = (a: ArrayLike<number>, b: number[]) => b.forEach((v, i) => expect(a[i]).toBeCloseTo(v, 6));

describe('the nodes of a frame', () => {
  const world = chain(5);

  it('are found in the messages of recordings and live runs', () => {
    const piece = new FramePiece(decoded(world, 3, 4));
    for (const index of [3, 6]) {
      const frame = piece.frame(index);
      expect(frame.nodePosition).toHaveLength(15);
      close(frame.nodePosition.subarray(9, 12), world.motion!(2, index / 60, world.nodes![2]![3]!));
    }
    const live = new LiveFrames();
    live.receive(decoded(world, 6, 1));
    expect([...live.frame(0)!.nodePosition]).toEqual([...piece.frame(6).nodePosition]);
  });

  it('come one body after the other', () => {
    const bodies = [{}, { nodes: 4 }, {}, { nodes: 2 }, { nodes: 1 }];
    const starts = nodeStarts(bodies);
    expect([...starts]).toEqual([0, 0, 4, 4, 6]);
    const frame = { ...frameOf(pile(4)), nodePosition: Float32Array.from({ length: 21 }, (_, i) => i) };
    expect(placeOf(frame, starts, 3, 1)).toEqual([15, 16, 17]);
    expect(placeOf(frame, starts, 4, 0)).toEqual([18, 19, 20]);
    expect(placeOf(frame, starts, 4, 1), 'there are no more').toBeNull();
    expect(placeOf(frame, starts, 3)).toEqual([...frame.position.subarray(9, 12)]);
    expect(placeOf(frame, starts, 7)).toBeNull();
    expect(placeOf(null, starts, 0)).toBeNull();
  });

  it('are none where no body has any', () => {
    expect(frameOf(pile(8)).nodePosition).toHaveLength(0);
  });
});

describe('bodies with nodes', () => {
  const matrices = (layer: BodiesLayer) => {
    const all: { at: Vector3; matrix: Matrix4 }[] = [];
    layer.group.traverse((object) => {
      if (!('isInstancedMesh' in object)) return;
      const mesh = object as unknown as { count: number; getMatrixAt: (i: number, m: Matrix4) => void };
      for (let i = 0; i < mesh.count; ++i) {
        const matrix = layer.group.matrix.clone();
        mesh.getMatrixAt(i, matrix);
        all.push({ at: new Vector3().setFromMatrixPosition(matrix), matrix });
      }
    });
    return all;
  };
  const rayDown = (x: number, y: number) => new Raycaster(new Vector3(x, y, 1), new Vector3(0, 0, -1));

  it('are drawn where their nodes are, others where their frames are', () => {
    const world = chain(5);
    const layer = layerOf(world, frameOf(world, 20));
    const places = matrices(layer).map(({ at }) => at.toArray());
    expect(places).toHaveLength(6);
    close(places[0]!, world.home[1]!.position);
    world.nodes![2]!.forEach((home, n) => close(places[n + 1]!, world.motion!(2, 20 / 60, home)));
  });

  it('keep the place that a shape has in the frame of its node', () => {
    const world = chain(3);
    const [sphere] = world.bodies[2]!.shapes as [Shape];
    world.bodies[2]!.shapes = [{ ...sphere, node: 1, position: [0.5, 0, 0] }, { ...sphere, node: 2, position: [0, 0, 0.25] }];
    const places = matrices(layerOf(world)).slice(1);
    expect(places).toHaveLength(2);
    for (const [i, n, by] of [[0, 1, [0.5, 0, 0]], [1, 2, [0, 0, 0.25]]] as const) close(places[i]!.at.toArray(), world.nodes![2]![n]!.map((v, j) => v + by[j]!));
  });

  it('are picked by node', () => {
    const world = chain(40);
    const layer = layerOf(world);
    for (const n of [0, 17, 39]) {
      const [x, y] = world.nodes![2]![n] as [number, number];
      expect(layer.pick(rayDown(x, y))).toMatchObject({ body: 2, node: n });
    }
    expect(layer.pick(rayDown(0, -0.1))).toMatchObject({ body: 1, node: -1 });
    expect(layer.pick(rayDown(5, 5))).toBeNull();
    expect(layer.nearestNode(2, new Vector3(...world.nodes![2]![30]!).add(new Vector3(0.002, 0, 0.3)))).toBe(30);
    expect(layer.nearestNode(1, new Vector3())).toBe(-1);
  });

  it('are framed as far as their nodes reach, and not where one flew to', () => {
    const world = chain(30);
    const frame = frameOf(world);
    const layer = layerOf(world, frame);
    const [first, last] = [world.nodes![2]![0]!, world.nodes![2]![29]!];
    const box = layer.bounds([frame], everywhere)!;
    expect(box.min.x).toBeCloseTo(first[0]! - 0.01, 6);
    expect(box.max.x).toBeCloseTo(last[0]! + 0.01, 6);
    expect(box.max.z).toBeCloseTo(0.04, 6);
    const far = { ...frame, nodePosition: Float32Array.from(frame.nodePosition, (v, i) => (i === 3 * 29 ? 50 : v)) };
    expect(layer.bounds([far], new Box3(new Vector3(-2, -2, -2), new Vector3(2, 2, 2)))!.max.x).toBeCloseTo(last[0]! - 0.03 + 0.01, 6);
    expect(layer.typicalRadius()).toBeLessThan(0.04);
    expect(layer.bodyRadius(2)).toBeCloseTo(0.01, 9);
  });

  it('are marked as a whole or at one node, by one call', () => {
    const world = chain(40);
    const layer = layerOf(world);
    const marked = () =>
      layer.selection.group.children.flatMap((lines) => {
        const { geometry } = lines as unknown as { geometry: { instanceCount: number; getAttribute: (name: string) => { array: Float32Array } } };
        const { array } = geometry.getAttribute('placement');
        return Array.from({ length: geometry.instanceCount }, (_, i) => [...array.subarray(16 * i + 12, 16 * i + 15)]);
      });
    layer.select(2);
    expect(layer.selection.group.children).toHaveLength(1);
    expect(marked()).toHaveLength(40);
    layer.select(2, 7);
    expect(marked()).toHaveLength(1);
    close(marked()[0]!, world.nodes![2]![7]!);
    layer.show(frameOf(world, 30));
    close(marked()[0]!, world.motion!(2, 0.5, world.nodes![2]![7]!));
    layer.select(1);
    close(marked()[0]!, world.home[1]!.position);
    layer.select(-1);
    expect(marked()).toEqual([]);
  });

  it('are drawn the coarser the smaller they are on the screen, in the end as dots, and picked all the same', () => {
    /** From above, over the middle of the chain, so many pixels a metre on the ground. */
    const look = (layer: BodiesLayer, scale: number, perspective: boolean) => {
      const half = 500 / scale;
      const camera = perspective ? new PerspectiveCamera(90, 1) : new OrthographicCamera(-half, half, half, -half);
      camera.position.copy(layer.place(2)!).setZ(perspective ? half : 10);
      camera.updateProjectionMatrix();
      layer.seenBy(camera, 1000);
    };
    const drawn = (layer: BodiesLayer, scale: number, perspective = false) => {
      look(layer, scale, perspective);
      let [triangles, dots, edges] = [0, 0, 0];
      layer.group.traverse((object) => {
        const { visible, geometry } = object as Mesh;
        if (!visible || !geometry) return;
        if (object instanceof Points) dots += (geometry as InstancedBufferGeometry).instanceCount;
        else if (object instanceof LineSegments) edges += (geometry as InstancedBufferGeometry).instanceCount;
        else triangles += (geometry.index!.count / 3) * (object as InstancedMesh).count;
      });
      return { triangles, dots, edges };
    };
    // The box beside the chain has 12.
    const few = layerOf(chain(60));
    for (const scale of [10, 1e4]) expect(drawn(few, scale)).toEqual({ triangles: 12 + 60 * 1216, dots: 0, edges: 61 });
    const world = chain(30_000);
    const layer = layerOf(world);
    expect(drawn(layer, 1e4)).toEqual({ triangles: 12 + 30_000 * 80, dots: 0, edges: 30_001 });
    expect(drawn(layer, 100)).toEqual({ triangles: 12 + 30_000 * 20, dots: 0, edges: 1 });
    expect(drawn(layer, 20)).toEqual({ triangles: 12, dots: 30_000, edges: 1 });
    for (const scale of [1e4, 100, 20]) expect(drawn(layer, scale, true)).toEqual(drawn(layer, scale));
    const [x, y] = world.nodes![2]![777] as [number, number];
    for (const perspective of [true, false]) {
      look(layer, 20, perspective);
      expect(layer.pick(rayDown(x + 0.001, y - 0.001))).toMatchObject({ body: 2, node: 777 });
    }
    look(layer, 1e3, false);
    expect(layer.pick(rayDown(x + 0.001, y - 0.001))).toMatchObject({ body: 2, node: 777 });
    expect(layer.pick(rayDown(x + 0.015, y)), 'between two').toBeNull();
    // One that is large among many small ones stays smooth.
    world.bodies[1]!.shapes = [{ type: 'sphere', radius: 0.5, material: 'wood', position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
    expect(drawn(layerOf(world), 20)).toEqual({ triangles: 1216, dots: 30_000, edges: 1 });
  });

  it('may have 30,000 of them', () => {
    const world = chain(30_000);
    const [frame, next] = [frameOf(world), frameOf(world, 1)];
    const layer = layerOf(world, frame);
    const time = (action: () => void) => {
      const begin = performance.now();
      action();
      return performance.now() - begin;
    };
    const [x, y] = world.nodes![2]![12_345] as [number, number];
    layer.setColouring('speed');
    const took = {
      show: Math.min(...[next, frame, next, frame].map((f) => time(() => layer.show(f)))),
      select: time(() => layer.select(2)),
      pick: time(() => expect(layer.pick(rayDown(x, y))).toMatchObject({ node: 12_345 })),
      bounds: time(() => layer.bounds([frame], everywhere)),
    };
    console.log(`30,000 nodes: ${Object.entries(took).map(([what, ms]) => `${what} ${ms.toFixed(1)} ms`).join(', ')}`);
    // Generous: what this is to find are costs that grow with the square.
    for (const [what, ms] of Object.entries(took)) expect(ms, what).toBeLessThan(1000);
  });
});

describe('a pull', () => {
  const world = chain(10);
  const made = () => {
    const session = new Session();
    const sent: Request[] = [];
    session.send = (request) => sent.push(request) > 0;
    const springs: (Vector3 | null)[] = [];
    const bodies = layerOf(world);
    const stage = {
      views: [{ bodies, showSpring: (from: Vector3 | null) => springs.push(from), showMeasure: () => undefined }],
      rig: { camera: { matrixWorld: { elements: [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1] } } },
    } as unknown as Stage;
    return { session, stage, bodies, sent, springs, pulling: new Pulling(session, stage) };
  };
  const node = new Vector3(...world.nodes![2]![4]!);
  const touched = node.clone().add(new Vector3(0, 0, 0.01));
  const pick = (body: number, n: number, point: Vector3): Pick => ({ view: 0, body, node: n, point });

  it('of a body with nodes names the node, and begins there', () => {
    const { pulling, sent, springs } = made();
    pulling.start(pick(2, 4, touched));
    pulling.moveTo(touched);
    expect(sent[0]).toMatchObject({ type: 'drag', body: 2, node: 4, point: [0, 0, 0] });
    close((sent[0] as { target: number[] }).target, node.toArray());
    pulling.update();
    close(springs.at(-1)!.toArray(), node.toArray());
    pulling.moveTo(touched.clone().add(new Vector3(1, 0, 0)));
    pulling.send();
    close((sent.at(-1) as { target: number[] }).target, [node.x + 1, node.y, node.z]);
  });

  it('of another body names none', () => {
    const { pulling, sent } = made();
    const point = new Vector3(0.01, -0.1, 0.04);
    pulling.start(pick(1, -1, point));
    pulling.moveTo(point);
    expect(sent[0]).not.toHaveProperty('node');
    close((sent[0] as { point: number[] }).point, [0.01, 0, 0.02]);
  });

  it('by keys takes the picked node, or the one nearest to the centre', () => {
    const { pulling, sent, session } = made();
    session.selected = 2;
    session.selectedNode = 8;
    pulling.startByKey([0, 1]);
    pulling.send();
    expect(sent[0]).toMatchObject({ body: 2, node: 8, point: [0, 0, 0] });
    close((sent[0] as { target: number[] }).target, world.nodes![2]![8]!.map((v, i) => (i === 2 ? v + 0.02 : v)));
    session.selectedNode = -1;
    pulling.startByKey([0, 1]);
    pulling.send();
    expect([4, 5]).toContain((sent[1] as { node: number }).node);
    session.selected = 1;
    pulling.startByKey([0, 1]);
    pulling.send();
    expect(sent[2]).toMatchObject({ body: 1, point: [0, 0, 0] });
    expect(sent[2]).not.toHaveProperty('node');
  });

  it('is not the only thing at a node: a measured point goes along with it too', () => {
    const { stage, bodies } = made();
    const shown: Vector3[][] = [];
    Object.assign(stage.views[0]!, { showMeasure: (points: Vector3[]) => shown.push(points) });
    const label = { hidden: true, textContent: '', style: {} } as unknown as HTMLElement;
    const measuring = new Measuring(stage, label);
    measuring.add(pick(2, 4, touched));
    close(shown.at(-1)![0]!.toArray(), touched.toArray());
    const later = frameOf(world, 30);
    bodies.show(later);
    measuring.update();
    const by = placeOf(later, nodeStarts(bodiesOf(world)), 2, 4)!.map((v, i) => v - node.toArray()[i]!);
    close(shown.at(-1)![0]!.toArray(), touched.toArray().map((v, i) => v + by[i]!));
  });
});
