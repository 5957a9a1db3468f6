// The messages of docs/wire-format.md as types. What the program leaves out is optional here.

export type Vector3 = [number, number, number];
export type Quaternion = [number, number, number, number];

interface ShapePlace {
  material: string;
  position: Vector3;
  /** w, x, y, z */
  orientation: Quaternion;
  /** of a body with nodes: the one whose frame, which does not turn, takes the place of the body's */
  node?: number;
}

export type Shape = ShapePlace &
  (
    | { type: 'sphere' | 'disk'; radius: number }
    | { type: 'box'; half_extents: Vector3 }
    | { type: 'capsule' | 'cylinder'; radius: number; half_length: number }
    | { type: 'polytope'; vertices: Vector3[]; faces: number[][] }
    | { type: 'half_space' }
    | { type: 'ellipse'; radii: [number, number] }
    | { type: 'polygon' | 'segment'; vertices: [number, number][] }
  );

export interface Body {
  name: string;
  kind: string;
  mobility: string;
  mass: number;
  /** at the start */
  position: Vector3;
  orientation: Quaternion;
  /** how many it has; the body's place is then their centre of mass */
  nodes?: number;
  shapes: Shape[];
}

/** of one of a joint's bodies, or of the world */
export interface JointFrame {
  position: Vector3;
  orientation: Quaternion;
}

export interface Joint {
  name: string;
  type: 'fixed' | 'ball' | 'hinge' | 'slider' | 'universal' | 'distance' | 'revolute' | 'prismatic';
  /** bodies; -1: the world */
  first: number;
  second: number;
  frame_first: JointFrame;
  frame_second: JointFrame;
  coordinate_units: ('m' | 'rad')[];
}

export interface RunInfo {
  solver: string;
  frames: number;
  steps: number;
  duration: number;
}

export interface SceneHeader {
  type: 'scene';
  version: number;
  mode: 'recording' | 'live' | 'report';
  session: string;
  title: string;
  description: string;
  solvers: string[];
  runs: RunInfo[];
  step: number;
  tolerance: number;
  frames_per_second: number;
  gravity: Vector3;
  planar: boolean;
  bounds: { min: Vector3; max: Vector3 };
  step_columns: string[];
  initial_kinetic: number;
  initial_potential: number;
  bodies: Body[];
  joints?: Joint[];
}

export interface FramesHeader {
  type: 'frames';
  run?: number;
  first: number;
  count: number;
  /** live only: number of the last drag that was obeyed before */
  drag?: number;
}

export interface StepsHeader {
  type: 'steps';
  run?: number;
  first: number;
  count: number;
  stride?: number;
}

export interface TrackHeader {
  type: 'track';
  run?: number;
  body: number;
  stride: number;
}

export interface Reason {
  step: number;
  reason: string;
}

export interface ReasonsHeader {
  type: 'reasons';
  run?: number;
  reasons: Reason[];
}

export interface StateHeader {
  type: 'state';
  run?: number;
  paused: boolean;
  solver: string;
  tolerance: number;
  step: number;
  gravity: Vector3;
  mu: number | null;
  speed: number;
  dragging: number | null;
  simulated: number;
  ratio: number;
}

export interface ErrorHeader {
  type: 'error';
  run?: number;
  message: string;
  /** of the command whose value was refused, if it is about one */
  field?: string;
}

export type Header =
  | SceneHeader
  | FramesHeader
  | StepsHeader
  | TrackHeader
  | ReasonsHeader
  | StateHeader
  | ErrorHeader;

export type Request =
  | { type: 'get_frames'; run: number; first: number; count: number; contacts: boolean }
  | { type: 'get_steps'; run: number; first: number; count: number; stride: number }
  | { type: 'get_track'; run: number; body: number; stride: number }
  | { type: 'get_reasons'; run: number }
  | { type: 'control'; action: 'pause' | 'resume' | 'step' | 'reset' }
  | ({ type: 'set' } & Settings)
  | { type: 'drag'; body: number; node?: number; point: Vector3; target: Vector3; number: number }
  | { type: 'release' }
  | { type: 'shoot'; position: Vector3; velocity: Vector3; size: number };

export interface Settings {
  run?: number;
  solver?: string;
  tolerance?: number;
  step?: number;
  gravity?: Vector3;
  mu?: number | null;
  speed?: number;
}
