import { Vector3 } from 'three';
import { Playback } from '../data/playback';
import type { Run, Track } from '../data/run';
import { defaultDisplay } from '../ui/display_panel';
import type { Request, SceneHeader, StateHeader } from '../wire/messages';

export type Send = (request: Request) => boolean;

/** seconds of a live run that the plots show */
const liveWindow = 20;

/** What the page knows and shows. The other files of this folder change it, each in its own matter. */
export class Session {
  scene: SceneHeader | null = null;
  /** of a live run: what the program last told of itself */
  state: StateHeader | null = null;
  runs: Run[] = [];
  readonly playback = new Playback();
  readonly display = defaultDisplay();
  /** the frame of the first run that was asked for by number; null while time alone decides */
  pinned: number | null = null;
  /** live only: the page shows an older frame than the newest */
  detached = false;
  /** a body's number; -1: none */
  selected = -1;
  /** of that body, if it has nodes and one of them was picked; -1: none */
  selectedNode = -1;
  /** the run in whose view it was picked: the one whose numbers are told */
  selectedRun = 0;
  following = false;
  /** the body in the coordinate plot, and where it was in each run */
  trackBody = -1;
  readonly tracks: (Track | null)[] = [];
  /** the texts beside the view, or the plots, are to be made anew though time stands still */
  readingsStale = true;
  plotsStale = true;
  /** to the program; false when there is no connection */
  send: Send = () => false;

  get live(): boolean {
    return this.scene?.mode === 'live';
  }

  isPlaying(): boolean {
    return this.live ? this.state !== null && !this.state.paused : this.playback.playing;
  }

  currentTime(): number {
    return this.runs[0]?.shown?.time ?? this.playback.time;
  }

  tolerance(): number {
    return this.state?.tolerance ?? this.scene?.tolerance ?? 1e-8;
  }

  initialEnergy(): number {
    return this.scene ? this.scene.initial_kinetic + this.scene.initial_potential : 0;
  }

  plotWindow(): [number, number] {
    if (!this.live) return [this.playback.start, this.playback.end];
    const { steps } = this.runs[0]!;
    const end = Math.max(steps.at('time', steps.count - 1) || 0, 1e-3);
    const start = steps.at('time', 0) || 0;
    return [Math.max(Math.min(start, end), end - liveWindow, 0), end];
  }

  bodyCentre(body: number, run = 0): Vector3 | null {
    const frame = this.runs[run]?.shown;
    if (!frame || body < 0 || body >= frame.bodies) return null;
    const p = frame.position;
    return new Vector3(p[3 * body], p[3 * body + 1], p[3 * body + 2]);
  }
}
