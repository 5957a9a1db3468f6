import { Run } from '../data/run';
import type { Steps } from '../data/steps';
import type { PlotPanel } from '../plots/panel';
import type { Theme } from '../scene3d/palette';
import { SceneView } from '../scene3d/scene_view';
import type { Stage } from '../scene3d/stage';
import type { Message } from '../wire/decode';
import type { ErrorHeader, FramesHeader, SceneHeader, StateHeader, StepsHeader } from '../wire/messages';
import type { CoordinateTracks } from './coordinate_tracks';
import type { FrameChooser } from './frame_chooser';
import type { Measuring } from './measuring';
import type { Pulling } from './pulling';
import type { Selection } from './selection';
import type { Session } from './session';

/** Rows of /steps that a page keeps of a recording; longer ones come thinned. */
const wantedRows = 40_000;
const rowsPerRequest = 20_000;
/** ms between two questions why steps of a live run are not certified */
const reasonInterval = 500;

export interface ReceiverParts {
  stage: Stage;
  plots: PlotPanel;
  tracks: CoordinateTracks;
  chooser: FrameChooser;
  selection: Selection;
  measuring: Measuring;
  pulling: Pulling;
  theme: () => Theme;
  applyDisplay: () => void;
  /** titles, badges and panels of a scene; names of the runs; the camera's kind; what a live run tells of itself */
  showScene: (scene: SceneHeader) => void;
  showRunNames: () => void;
  showProjection: () => void;
  showState: (state: StateHeader) => void;
  /** that something could not be done: what holds is to be seen again. Returns whether the reason stands beside a field. */
  showRefusal: (error: ErrorHeader) => boolean;
  say: (text: string) => void;
}

/** Takes the program's messages into the session. */
export class Receiver {
  /** ms, when the scene came */
  sceneSince = 0;
  /** ms, of each run: when it was last asked why steps are not certified */
  private readonly lastReasons: number[] = [];

  constructor(
    private readonly session: Session,
    private readonly parts: ReceiverParts,
  ) {}

  receive(message: Message): void {
    const { header } = message;
    const { runs } = this.session;
    const run = 'run' in header ? runs[header.run ?? 0] : runs[0];
    switch (header.type) {
      case 'scene':
        this.receiveScene(header);
        break;
      case 'frames':
        if (run) this.receiveFrames(run, message);
        break;
      case 'steps':
        if (run) this.receiveSteps(run, message);
        break;
      case 'track':
        this.parts.tracks.receive(message);
        break;
      case 'reasons':
        run?.receiveReasons(header.reasons);
        this.session.readingsStale = true;
        break;
      case 'state':
        this.receiveState(header);
        break;
      case 'error':
        if (!this.parts.showRefusal(header)) this.parts.say(header.message);
        break;
    }
  }

  private receiveScene(scene: SceneHeader): void {
    const { session, parts } = this;
    const before = session.scene;
    const sameSession = before?.session === scene.session;
    const sameThing = before !== null && before.title === scene.title && before.mode === scene.mode;
    if (sameSession && scene.mode === 'recording' && sameThing && before.runs.every((r, i) => r.frames === scene.runs[i]?.frames)) {
      // The same recording after a lost connection: what is here is still good.
      for (const run of session.runs) this.askForMissingSteps(run);
      return;
    }
    const selectedBefore = before?.bodies[session.selected];
    const { selectedNode } = session;
    this.sceneSince = performance.now();
    this.replaceRuns(scene, sameSession && scene.mode === 'live' ? session.runs.map((r) => r.steps) : []);
    this.replaceViews(scene, sameThing);
    parts.showScene(scene);
    const selected = sameThing ? scene.bodies.findIndex((b) => b.name === selectedBefore?.name) : -1;
    const sameNodes = selected >= 0 && scene.bodies[selected]!.nodes === selectedBefore?.nodes;
    parts.selection.select(selected, undefined, sameNodes ? selectedNode : -1);
    parts.applyDisplay();
    if (!sameThing) this.lookAtNewThing(scene);
    session.readingsStale = session.plotsStale = true;
    if (scene.mode !== 'live') this.askForRecorded(scene);
    if (session.trackBody < 0 || session.trackBody >= scene.bodies.length) {
      session.trackBody = Math.max(0, scene.bodies.findIndex((b) => b.mobility === 'dynamic'));
    }
    parts.plots.setBodies(scene.bodies.map((b) => b.name));
    parts.plots.showBody(session.trackBody);
  }

  private replaceRuns(scene: SceneHeader, steps: Steps[]): void {
    const { session } = this;
    session.scene = scene;
    session.runs = scene.runs.map(
      (info, number) =>
        new Run(
          number,
          info,
          scene,
          (first, count, contacts) => scene.mode === 'recording' && session.send({ type: 'get_frames', run: number, first, count, contacts }),
          steps[number] ?? null,
        ),
    );
    session.detached = false;
    session.pinned = null;
    session.tracks.length = 0;
  }

  private replaceViews(scene: SceneHeader, sameThing: boolean): void {
    const { stage, selection, measuring, pulling } = this.parts;
    pulling.forget();
    selection.forgetPlace();
    measuring.clear();
    const scales = stage.views.map((v) => v.contacts.impulseScale);
    stage.setLive(scene.mode === 'live');
    stage.setViews(this.session.runs.map(() => new SceneView(scene, this.parts.theme())));
    if (sameThing) stage.views.forEach((v, i) => (v.contacts.impulseScale = scales[i] ?? 0));
  }

  private lookAtNewThing(scene: SceneHeader): void {
    const { stage, chooser } = this.parts;
    stage.rig.setOrthographic(scene.planar);
    this.parts.showProjection();
    stage.rig.look(scene.planar ? 'front' : 'quarter');
    const view = stage.views[0]!;
    stage.rig.fit(view.low, view.high);
    chooser.fitFirst = true;
    this.session.playback.time = 0;
    this.session.trackBody = -1;
  }

  private askForRecorded(scene: SceneHeader): void {
    const { session } = this;
    session.playback.setRange(0, Math.max(...scene.runs.map((r) => r.duration)));
    for (const run of session.runs) {
      run.frames.frame(0);
      this.askForMissingSteps(run);
      if (scene.mode === 'recording') session.send({ type: 'get_reasons', run: run.number });
    }
  }

  private receiveFrames(run: Run, message: Message): void {
    const first = run.frames.count === 0;
    run.receiveFrames(message);
    if (run.live) {
      if (first) run.steps.cutAfter(run.live.endTime());
      const frame = run.live.frame(run.live.newest());
      if (frame) this.parts.pulling.answer.arrived((message.header as FramesHeader).drag ?? 0, frame.time);
    }
    this.parts.tracks.framesCame(run);
  }

  private receiveSteps(run: Run, message: Message): void {
    run.steps.receive(message);
    if (this.session.scene?.mode === 'recording') this.askForMissingSteps(run, message.header as StepsHeader);
    if (this.session.live) this.askForReasons(run);
  }

  /** Not too often while steps go on; while they rest, what is shown is to be explained. */
  private askForReasons(run: Run): void {
    const { step } = run.steps.uncertified;
    const newest = step[step.length - 1];
    const now = performance.now();
    const rests = this.session.state?.paused ?? false;
    if (newest === undefined || run.reasons.has(newest)) return;
    if (!rests && now - (this.lastReasons[run.number] ?? -Infinity) <= reasonInterval) return;
    this.lastReasons[run.number] = now;
    this.session.send({ type: 'get_reasons', run: run.number });
  }

  private askForMissingSteps(run: Run, answer: StepsHeader | null = null): void {
    const { session } = this;
    if (session.scene?.mode !== 'recording') return;
    const stride = Math.max(1, Math.ceil(run.info.steps / wantedRows));
    const have = run.steps.firstStep + run.steps.count * stride;
    if (have < run.info.steps && answer?.count !== 0) {
      session.send({ type: 'get_steps', run: run.number, first: have, count: rowsPerRequest * stride, stride });
    } else if (run.number === session.runs.length - 1) this.parts.tracks.choose(session.trackBody);
  }

  private receiveState(state: StateHeader): void {
    const { session } = this;
    if (session.state?.tolerance !== state.tolerance) session.plotsStale = true;
    const pauses = state.paused && !session.state?.paused;
    session.state = state;
    if (pauses) for (const each of session.runs) this.askForReasons(each);
    const run = session.runs[state.run ?? 0];
    if (run && state.solver && run.solver !== state.solver) {
      run.solver = state.solver;
      this.parts.showRunNames();
      session.plotsStale = true;
    }
    this.parts.showState(state);
  }
}
