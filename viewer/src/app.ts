import { Vector3 } from 'three';
import { AwaitedAnswer } from './data/awaited_answer';
import type { Frame } from './data/frame';
import { Playback } from './data/playback';
import { Run, type Track } from './data/run';
import { GrowingTrack, trackFromMessage } from './data/track';
import { PlotPanel } from './plots/panel';
import { contactMarks } from './scene3d/contacts_layer';
import { lengthLabel } from './scene3d/grid';
import { type Theme, themes } from './scene3d/palette';
import { PointerTools } from './scene3d/pointer_tools';
import { SceneView } from './scene3d/scene_view';
import { type Pick, Stage } from './scene3d/stage';
import { Banner, verdictAt } from './ui/certificate';
import { DisplayPanel, defaultDisplay } from './ui/display_panel';
import { element, setText } from './ui/dom';
import { Inspector } from './ui/inspector';
import { KeyHelp, listenToKeys, type KeyBinding } from './ui/keys';
import { buildLayout, type Layout } from './ui/layout';
import { showLegend } from './ui/legend';
import { LivePanel } from './ui/live_panel';
import { ThemeChoice } from './ui/theme';
import { Timeline } from './ui/timeline';
import { numberText } from './plots/axis';
import type { ConnectionStatus } from './wire/connection';
import type { Message } from './wire/decode';
import type { FramesHeader, Request, SceneHeader, StateHeader, StepsHeader, TrackHeader } from './wire/messages';
import { FrameTimer } from './frame_timer';

/** Rows of /steps that a page keeps of a recording; longer ones come thinned. */
const wantedRows = 40_000;
const rowsPerRequest = 20_000;
/** ms between two messages of a drag: no more than a simulation can make use of */
const dragInterval = 8;
/** seconds of a live run that the plots show */
const liveWindow = 20;
/** ms that a scene waits for its first frame, so that the first picture is not one without bodies */
const firstFramePatience = 1000;

export type Send = (request: Request) => boolean;

/** Brings everything together: messages come in, time goes on, pictures and plots follow. */
export class App {
  readonly stage: Stage;
  readonly playback = new Playback();
  readonly display = defaultDisplay();
  readonly timer = new FrameTimer();
  scene: SceneHeader | null = null;
  state: StateHeader | null = null;
  runs: Run[] = [];
  selected = -1;
  following = false;
  /** live only: the page shows an older frame than the newest */
  detached = false;
  readonly plots: PlotPanel;
  private readonly layout: Layout;
  private readonly timeline: Timeline;
  private readonly panel: DisplayPanel;
  private readonly live: LivePanel;
  private readonly inspector: Inspector;
  private readonly banner: Banner;
  private readonly themeChoice: ThemeChoice;
  private readonly pointer: PointerTools;
  private theme: Theme;
  private send: Send = () => false;
  /** the frame of the first run that was asked for by number; null while time alone decides */
  private pinned: number | null = null;
  private fitFirst = false;
  private measuring = false;
  private readonly measured: Vector3[] = [];
  private pullsWithoutShift = false;
  private drag: { body: number; view: number; point: Vector3; target: Vector3; sent: boolean } | null = null;
  private readonly answer = new AwaitedAnswer();
  private trackBody = -1;
  private readonly tracks: (Track | null)[] = [];
  private interfered = false;
  private sceneSince = 0;
  private lastDrag = 0;
  private lastTick = 0;
  private lastReadings = 0;
  private lastPlots = 0;
  private lastReasons = 0;
  private lastBanner = -Infinity;
  private plottedVersions = '';
  private shownKey = '';
  private followedAt: Vector3 | null = null;
  private messageTimer = 0;
  private readonly badge = element('span', { class: 'badge absent', id: 'certificate' });
  private readonly uncertifiedBadge = element('button', { type: 'button', class: 'badge bad', id: 'uncertified', title: 'To the next step that is not certified (U)', hidden: '' });
  private readonly modeBadge = element('span', { class: 'badge quiet-badge' });
  private readonly ratioBadge = element('span', { class: 'badge quiet-badge', id: 'ratio-badge', hidden: '' });

  constructor(private readonly root: HTMLElement) {
    root.classList.add('waiting');
    const bindings = this.keyBindings();
    const help = new KeyHelp([{ keys: ['?'], text: 'this help', action: () => undefined }, ...bindings]);
    this.layout = buildLayout(root, {
      help: () => help.toggle(),
      theme: () => this.themeChoice.toggle(),
      resized: () => this.plots.redrawAll(),
    });
    this.layout.badges.append(this.modeBadge, this.badge, this.uncertifiedBadge, this.ratioBadge);
    this.uncertifiedBadge.addEventListener('click', () => this.toNextUncertified());
    this.theme = themes.light;
    this.stage = new Stage(this.layout.view);
    this.timeline = new Timeline(this.layout.timeline, {
      playOrPause: () => this.playOrPause(),
      step: (direction) => this.step(direction),
      seekIndex: (index) => this.seekIndex((this.runs[0]?.frames.first ?? 0) + index),
      toEnd: (end) => this.toEnd(end),
      speed: (value) => this.setSpeed(value),
      loop: (on) => (this.playback.loop = on),
    });
    this.panel = new DisplayPanel(this.layout.controls, this.display, {
      changed: () => this.applyDisplay(),
      look: (direction) => {
        this.stage.rig.look(direction);
        this.stage.fit();
      },
      fit: () => this.stage.fit(),
      projection: () => this.toggleProjection(),
      follow: (on) => this.follow(on),
      measure: () => this.toggleMeasure(),
      selectBody: (body) => this.select(body),
    });
    this.live = new LivePanel(this.layout.controls, {
      reset: () => this.reset(),
      set: (settings) => {
        if (settings.gravity) this.interfered = true;
        this.send({ type: 'set', ...settings });
      },
      shoot: () => this.shoot(),
      dragging: (on) => (this.pullsWithoutShift = on),
    });
    this.inspector = new Inspector(this.layout.inspector, {
      close: () => this.select(-1),
      select: (body) => this.select(body),
    });
    this.banner = new Banner(this.layout.banner);
    this.plots = new PlotPanel(this.layout.plots, {
      runs: () => this.runs,
      tolerance: () => this.tolerance(),
      initialEnergy: () => (this.scene ? this.scene.initial_kinetic + this.scene.initial_potential : 0),
      outsideWork: () => this.interfered || (this.scene?.bodies.some((b) => b.mobility === 'kinematic') ?? false),
      tracks: () => this.tracks,
      bodyName: (body) => this.scene?.bodies[body]?.name ?? '',
      theme: () => this.theme,
      window: () => this.plotWindow(),
      seek: (time) => this.seek(time),
      fileName: () => (this.scene?.title ?? 'cardhouse').replace(/[^\w-]+/g, '-'),
      chooseBody: (body) => this.plotBody(body),
    });
    this.pointer = new PointerTools(this.stage, {
      pulls: () => (this.scene?.mode === 'live' && !this.measuring ? this.pullsWithoutShift : null),
      clicked: (pick) => this.clicked(pick),
      dragStart: (pick) => this.startDrag(pick),
      dragTo: (target) => this.dragTo(target),
      dragEnd: () => this.endDrag(),
    });
    this.themeChoice = new ThemeChoice((name) => {
      this.theme = themes[name];
      for (const view of this.stage.views) view.setTheme(this.theme);
      this.stage.dirty = true;
      this.plots.redrawAll();
    });
    this.themeChoice.apply();
    listenToKeys([{ keys: ['?'], text: '', action: () => help.toggle() }, ...bindings]);
    this.stage.canvas.addEventListener('keydown', (event) => this.cameraKeys(event));
    document.addEventListener('keyup', (event) => {
      // A pull by keys ends with the key; one by the pointer has the camera's controls switched off.
      if (event.key.startsWith('Arrow') && this.stage.rig.controls.enabled) this.endDrag();
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  useConnection(send: Send): void {
    this.send = send;
  }

  setTheme(name: 'light' | 'dark'): void {
    this.themeChoice.set(name);
  }

  showStatus(status: ConnectionStatus, attempts: number): void {
    const { status: target } = this.layout;
    target.dataset.status = status;
    if (status === 'connected') setText(target, 'connected');
    else if (attempts === 0) setText(target, 'connecting…');
    else if (attempts < 12) setText(target, 'reconnecting…');
    else setText(target, 'no answer: if the program was started again, open the address it printed');
    if (status !== 'connected') for (const run of this.runs) run.recorded?.forgetRequests();
  }

  /** A sentence for the person, for a while. */
  say(text: string): void {
    this.layout.message.textContent = text;
    this.layout.message.hidden = false;
    window.clearTimeout(this.messageTimer);
    this.messageTimer = window.setTimeout(() => (this.layout.message.hidden = true), 6000);
  }

  // Messages of the program

  receive(message: Message): void {
    const { header } = message;
    const run = 'run' in header ? this.runs[header.run ?? 0] : this.runs[0];
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
        this.receiveTrack(message);
        break;
      case 'reasons':
        run?.receiveReasons(header.reasons);
        this.shownKey = '';
        break;
      case 'state':
        this.receiveState(header);
        break;
      case 'error':
        this.say(header.message);
        break;
    }
  }

  private receiveScene(scene: SceneHeader): void {
    const before = this.scene;
    const sameSession = before?.session === scene.session;
    const sameThing = before !== null && before.title === scene.title && before.mode === scene.mode;
    if (sameSession && scene.mode === 'recording' && sameThing && before.runs.every((r, i) => r.frames === scene.runs[i]?.frames)) {
      // The same recording after a lost connection: what is here is still good.
      for (const run of this.runs) this.askForMissingSteps(run);
      return;
    }
    const oldSteps = sameSession && scene.mode === 'live' ? this.runs.map((r) => r.steps) : [];
    const oldScale = this.stage.views.map((v) => v.contacts.impulseScale);
    const selectedName = before?.bodies[this.selected]?.name;
    this.scene = scene;
    this.sceneSince = performance.now();
    if (!sameSession) this.interfered = false;
    else if (before && before.bodies.length < scene.bodies.length) this.interfered = true;
    this.runs = scene.runs.map(
      (info, number) =>
        new Run(
          number,
          info,
          scene,
          (first, count, contacts) => scene.mode === 'recording' && this.send({ type: 'get_frames', run: number, first, count, contacts }),
          oldSteps[number] ?? null,
        ),
    );
    this.drag = null;
    this.followedAt = null;
    this.detached = false;
    this.tracks.length = 0;
    this.measured.length = 0;
    this.stage.setLive(scene.mode === 'live');
    this.stage.setViews(this.runs.map(() => new SceneView(scene, this.theme)));
    if (sameThing) this.stage.views.forEach((v, i) => (v.contacts.impulseScale = oldScale[i] ?? 0));
    this.showSceneTexts(scene);
    const keep = sameThing ? scene.bodies.findIndex((b) => b.name === selectedName) : -1;
    this.select(keep);
    this.applyDisplay();
    const { rig } = this.stage;
    if (!sameThing) {
      rig.setOrthographic(scene.planar);
      rig.look(scene.planar ? 'front' : 'quarter');
      const view = this.stage.views[0]!;
      rig.fit(view.low, view.high);
      this.fitFirst = true;
      this.playback.time = 0;
      this.trackBody = -1;
    }
    this.panel.showProjection(rig.orthographicView);
    this.pinned = null;
    this.shownKey = '';
    this.plottedVersions = '';
    if (scene.mode !== 'live') {
      this.playback.setRange(0, Math.max(...scene.runs.map((r) => r.duration)));
      for (const run of this.runs) {
        run.frames.frame(0);
        this.askForMissingSteps(run);
        if (scene.mode === 'recording') this.send({ type: 'get_reasons', run: run.number });
      }
    }
    if (this.trackBody < 0 || this.trackBody >= scene.bodies.length) {
      this.trackBody = Math.max(0, scene.bodies.findIndex((b) => b.mobility === 'moving'));
    }
    this.plots.setBodies(scene.bodies.map((b) => b.name));
    this.plots.showBody(this.trackBody);
    this.root.classList.remove('waiting');
  }

  private showSceneTexts(scene: SceneHeader): void {
    const live = scene.mode === 'live';
    document.title = `${scene.title} – cardhouse`;
    setText(this.layout.title, scene.title);
    setText(this.layout.subtitle, scene.description || this.runs.map((r) => r.solver).join(' and '));
    setText(this.modeBadge, scene.mode);
    this.layout.status.hidden = scene.mode === 'report';
    this.ratioBadge.hidden = !live;
    this.live.root.hidden = !live;
    this.timeline.setLive(live);
    this.timeline.setSpeeds(live);
    this.panel.setBodies(scene.bodies, scene.joints?.length ?? 0);
    this.inspector.setScene(scene.bodies, scene.joints ?? []);
    const view = this.stage.views[0]!;
    if (live) {
      this.live.setUp(
        scene.solvers,
        scene.runs.map((r) => r.solver),
        Number((0.9 * view.bodies.typicalRadius()).toPrecision(2)),
        Number((2.5 * Math.sqrt(9.81 * view.size)).toPrecision(2)),
      );
    }
    this.showRunLabels();
  }

  private showRunLabels(): void {
    const many = this.runs.length > 1;
    this.layout.viewLabels.replaceChildren(...(many ? this.runs.map((r) => element('span', {}, [r.solver])) : []));
    this.placeRunLabels();
  }

  private placeRunLabels(): void {
    [...this.layout.viewLabels.children].forEach((label, i) => {
      const [x, y, w, h] = this.stage.viewport(i);
      Object.assign((label as HTMLElement).style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
    });
  }

  private receiveFrames(run: Run, message: Message): void {
    const first = run.frames.count === 0;
    run.receiveFrames(message);
    // A report brings all of its frames, the last ones last: then there is a track to plot.
    if (this.scene?.mode === 'report' && run.recorded?.has(run.frames.count - 1)) {
      this.tracks[run.number] = GrowingTrack.of(run.frames, this.trackBody);
      this.plots.find('coordinate')?.redraw();
    }
    if (run.live) {
      if (first) run.steps.cutAfter(run.live.endTime());
      const track = this.tracks[run.number];
      const frame = run.live.frame(run.live.newest());
      if (frame) this.answer.arrived((message.header as FramesHeader).drag ?? 0, frame.time);
      if (track instanceof GrowingTrack && frame) track.add(frame);
      else if (frame) this.tracks[run.number] = GrowingTrack.of(run.live, this.trackBody);
    }
  }

  private receiveSteps(run: Run, message: Message): void {
    run.steps.receive(message);
    if (this.scene?.mode === 'recording') this.askForMissingSteps(run, message.header as StepsHeader);
    if (this.scene?.mode === 'live') {
      const { step } = run.steps.uncertified;
      const newest = step[step.length - 1];
      const now = performance.now();
      if (newest !== undefined && !run.reasons.has(newest) && now - this.lastReasons > 500) {
        this.lastReasons = now;
        this.send({ type: 'get_reasons', run: run.number });
      }
    }
  }

  private askForMissingSteps(run: Run, answer: StepsHeader | null = null): void {
    if (this.scene?.mode !== 'recording') return;
    const stride = Math.max(1, Math.ceil(run.info.steps / wantedRows));
    const have = run.steps.firstStep + run.steps.count * stride;
    if (have < run.info.steps && answer?.count !== 0) {
      this.send({ type: 'get_steps', run: run.number, first: have, count: rowsPerRequest * stride, stride });
    } else if (run.number === this.runs.length - 1) this.plotBody(this.trackBody);
  }

  private receiveTrack(message: Message): void {
    const header = message.header as TrackHeader;
    if (header.body !== this.trackBody) return;
    this.tracks[header.run ?? 0] = trackFromMessage(message);
    this.plots.find('coordinate')?.redraw();
    this.shownKey = ''; // its reading
  }

  private receiveState(state: StateHeader): void {
    this.state = state;
    const run = this.runs[state.run ?? 0];
    if (run && state.solver && run.solver !== state.solver) {
      run.solver = state.solver;
      this.showRunLabels();
      this.plottedVersions = '';
    }
    if (state.dragging !== null) this.interfered = true;
    this.live.show(state);
    this.timeline.showSpeed(state.speed);
    setText(this.ratioBadge, state.paused ? 'paused' : `${state.ratio.toFixed(2)}× real time`);
  }

  // Time

  private isPlaying(): boolean {
    return this.scene?.mode === 'live' ? this.state !== null && !this.state.paused : this.playback.playing;
  }

  playOrPause(): void {
    if (this.scene?.mode === 'live') {
      this.detached = false;
      this.send({ type: 'control', action: this.state?.paused ? 'resume' : 'pause' });
      return;
    }
    if (this.playback.playing) {
      this.playback.pause();
      this.pinned = this.runs[0]?.shown?.index ?? null;
    } else {
      this.pinned = null;
      this.playback.play();
    }
  }

  step(direction: 1 | -1): void {
    const run = this.runs[0];
    if (!run) return;
    if (run.live) {
      const at = run.shown?.index ?? run.live.newest();
      if (direction > 0 && (!this.detached || at >= run.live.newest())) {
        this.detached = false;
        this.send({ type: 'control', action: 'step' });
        return;
      }
      if (!this.state?.paused) this.send({ type: 'control', action: 'pause' });
      this.seekIndex(at + direction);
      return;
    }
    this.seekIndex((this.pinned ?? run.shown?.index ?? 0) + direction);
  }

  seekIndex(index: number): void {
    const frames = this.runs[0]?.frames;
    if (!frames) return;
    const last = frames.first + frames.count - 1;
    this.pinned = Math.max(frames.first, Math.min(last, index));
    this.playback.pause();
    this.playback.seek(frames.timeAt(this.pinned));
    if (this.scene?.mode === 'live') {
      this.detached = this.pinned < last;
      this.playback.time = frames.timeAt(this.pinned);
    }
  }

  seek(time: number): void {
    const frames = this.runs[0]?.frames;
    if (frames) this.seekIndex(frames.indexAt(time));
  }

  private toEnd(end: 'start' | 'end'): void {
    const frames = this.runs[0]?.frames;
    if (!frames) return;
    this.seekIndex(end === 'start' ? frames.first : frames.first + frames.count - 1);
  }

  private setSpeed(value: number): void {
    this.playback.speed = value;
    if (this.scene?.mode === 'live') this.send({ type: 'set', speed: value });
  }

  reset(): void {
    this.detached = false;
    if (this.scene?.mode === 'live') this.send({ type: 'control', action: 'reset' });
    else this.toEnd('start');
  }

  private toNextUncertified(): void {
    const now = this.currentTime();
    for (const wrap of [false, true]) {
      for (const run of this.runs) {
        const { time } = run.steps.uncertified;
        const next = time.find((t) => wrap || t > now + 1e-9);
        if (next === undefined) continue;
        // The frame that shows a step is the first one at or after it.
        let index = this.runs[0]!.frames.indexAt(next);
        if (this.runs[0]!.frames.timeAt(index) < next - 1e-9) index += 1;
        this.seekIndex(index);
        return;
      }
    }
  }

  currentTime(): number {
    return this.runs[0]?.shown?.time ?? this.playback.time;
  }

  private tolerance(): number {
    return this.state?.tolerance ?? this.scene?.tolerance ?? 1e-8;
  }

  private plotWindow(): [number, number] {
    if (this.scene?.mode !== 'live') return [this.playback.start, this.playback.end];
    const { steps } = this.runs[0]!;
    const end = Math.max(steps.at('time', steps.count - 1) || 0, 1e-3);
    const start = steps.at('time', 0) || 0;
    return [Math.max(Math.min(start, end), end - liveWindow, 0), end];
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const begin = performance.now();
    if (this.stage.software && this.drag && this.answer.holds(begin)) {
      this.sendDrag();
      return;
    }
    const seconds = this.lastTick ? (now - this.lastTick) / 1000 : 0;
    this.lastTick = now;
    if (!this.scene) {
      this.stage.render(now);
      return;
    }
    const changed = this.scene.mode === 'live' ? this.updateLive() : this.updateRecorded(seconds);
    if (changed) this.stage.moved();
    this.updateDrag();
    if (this.following && changed) this.followBody();
    this.stage.playing = this.isPlaying();
    this.stage.pulling = this.drag !== null;
    const shown = this.runs.some((run) => run.shown) || begin - this.sceneSince > firstFramePatience;
    const drew = shown && this.stage.render(now);
    this.updatePage(now, changed || drew);
    if (!drew) return;
    this.timer.add(performance.now() - begin, now);
    this.answer.drawn(begin);
  }

  private updateLive(): boolean {
    let changed = false;
    for (const run of this.runs) {
      const live = run.live!;
      if (live.count === 0) continue;
      let index = live.newest();
      if (this.detached) index = run.number === 0 ? Math.max(live.first, this.pinned ?? index) : live.indexAt(this.playback.time);
      changed = this.showFrame(run, live.frame(index)) || changed;
    }
    return changed;
  }

  private updateRecorded(seconds: number): boolean {
    const { playback } = this;
    const first = this.runs[0]!;
    playback.setRange(
      Math.min(...this.runs.map((r) => r.frames.startTime())),
      Math.max(...this.runs.map((r) => r.frames.endTime())),
    );
    const before = playback.time;
    playback.advance(seconds);
    if (playback.playing) {
      this.pinned = null;
      const perSecond = (first.frames.count / Math.max(1e-9, playback.end - playback.start)) * playback.speed;
      let ready = true;
      for (const run of this.runs) {
        const index = run.frames.indexAt(playback.time);
        if (!run.recorded!.has(index)) ready = false;
        run.recorded!.prefetch(index, perSecond);
      }
      // Wait for frames that are on their way rather than leap over them.
      if (!ready) playback.time = before;
    }
    let changed = false;
    for (const run of this.runs) {
      const index = run === first && this.pinned !== null ? this.pinned : run.frames.indexAt(playback.time);
      const frame = run.frames.frame(index);
      if (frame && run === first && this.pinned !== null) playback.time = frame.time;
      changed = this.showFrame(run, frame) || changed;
    }
    return changed;
  }

  private showFrame(run: Run, frame: Run['shown']): boolean {
    if (!frame || frame === run.shown) return false;
    run.shown = frame;
    this.stage.views[run.number]!.show(frame);
    if (this.fitFirst) {
      // Closer than the scene's bounds, which hold the table too.
      this.fitFirst = false;
      this.stage.fit();
    }
    return true;
  }

  /** Everything but the pictures: cheap parts at once, dear ones a few times per second. */
  private updatePage(now: number, moved: boolean): void {
    const run = this.runs[0]!;
    const time = this.currentTime();
    const live = this.scene!.mode === 'live';
    this.timeline.showPlaying(this.isPlaying());
    const readings = now - this.lastReadings > 100;
    const versions = this.runs.map((r) => `${r.steps.version}`).join(' ') + this.playback.end + run.solver;
    if (versions !== this.plottedVersions || (live && run.live!.count > 0 && !this.state?.paused)) {
      if (live && now - this.lastPlots > (this.drag ? 200 : 45)) {
        this.lastPlots = now;
        this.plots.redrawNext();
      } else if (!live) {
        this.plottedVersions = versions;
        this.plots.redrawAll();
        this.shownKey = '';
      }
    }
    const key = `${run.shown?.index} ${run.shown?.contacts !== null} ${time} ${run.frames.count} ${run.frames.first} ${versions}`;
    if (key !== this.shownKey) {
      const end = run.frames.endTime();
      const { first, count } = run.frames;
      const at = (this.pinned !== null && !live ? this.pinned : (run.shown?.index ?? first)) - first;
      this.timeline.show(at, count, time, end, `step ${run.shown?.step ?? 0} · frame ${at + 1}/${count}`);
      this.plots.setTime(time, readings);
      if (readings || !this.isPlaying()) {
        this.lastReadings = now;
        this.shownKey = key;
        this.plots.setTime(time, true);
        this.showCertificate(time);
        this.inspector.show(run.shown, this.selected);
        this.showMarks();
        if (this.display.bodyColouring === 'speed') showLegend(this.layout.legend, this.display, this.stage.views[0]!.bodies);
      }
    }
    if (moved) {
      this.showScale();
      if (this.runs.length > 1) this.placeRunLabels();
    }
  }

  private showMarks(): void {
    const { frames } = this.runs[0]!;
    const times = this.runs.length === 1 ? this.runs[0]!.steps.uncertified.time : this.runs.flatMap((r) => r.steps.uncertified.time).sort((a, b) => a - b);
    const version = this.runs.map((r) => r.steps.version).join(' ');
    this.timeline.showMarks(times, frames.startTime(), frames.endTime(), this.theme.threshold, version);
  }

  private showCertificate(time: number): void {
    let banner = false;
    let certified = true;
    let worst = NaN;
    for (const run of this.runs) {
      const index = run.shown?.index ?? 0;
      const after = index > run.frames.first ? run.frames.timeAt(index - 1) : time - 1e-9;
      const verdict = verdictAt(run, after, run.shown?.time ?? time);
      if (!verdict) continue;
      if (!(worst >= verdict.residual)) worst = verdict.residual;
      if (verdict.certified) continue;
      certified = false;
      if (banner) continue;
      banner = true;
      this.banner.show(run, verdict, this.tolerance(), this.runs.length > 1);
    }
    // In a live run one step passes in a blink: what it said stays long enough to be read.
    const now = performance.now();
    if (banner) this.lastBanner = now;
    else if (this.scene?.mode !== 'live' || this.state?.paused || now - this.lastBanner > 4000) this.banner.hide();
    // It keeps its place while there is no verdict: the badges beside it should not move.
    this.badge.classList.toggle('absent', Number.isNaN(worst));
    this.badge.classList.toggle('bad', !certified);
    this.badge.classList.toggle('good', certified);
    setText(this.badge, `${certified ? 'certified' : 'not certified'} · ${numberText(worst, 2)}`);
    const count = this.runs.reduce((n, r) => n + r.steps.uncertified.time.length, 0);
    this.uncertifiedBadge.hidden = count === 0;
    if (count > 0) setText(this.uncertifiedBadge, `${count} not certified ›`);
  }

  private showScale(): void {
    const spacing = this.stage.views[0]!.grid.spacing;
    if (!(spacing > 0)) return;
    setText(this.layout.scaleLabel, lengthLabel(spacing));
    this.layout.scaleBar.style.width = `${(spacing * this.stage.pixelsPerMetre()).toFixed(1)}px`;
    if (this.measured.length === 2) this.placeMeasureLabel();
  }

  // Display

  applyDisplay(): void {
    const { display } = this;
    this.stage.seeThrough = display.seeThrough;
    this.stage.views.forEach((view) => {
      view.bodies.setColouring(display.bodyColouring);
      view.bodies.setEdges(display.edges);
      view.grid.mesh.visible = display.grid;
      view.joints.setVisible(display.joints);
      view.contacts.colouring = display.contactColouring;
      view.contacts.factor = display.impulseFactor;
      view.contacts.only = display.onlySelected ? this.selected : -1;
      for (const mark of contactMarks) view.contacts.setVisible(mark, display.marks[mark]);
    });
    this.updateContactNeed();
    this.panel.refresh();
    const view = this.stage.views[0];
    if (view) showLegend(this.layout.legend, display, view.bodies);
    this.stage.dirty = true;
  }

  private updateContactNeed(): void {
    const { display } = this;
    const need =
      Object.values(display.marks).some(Boolean) ||
      this.selected >= 0 ||
      display.bodyColouring === 'island' ||
      display.bodyColouring === 'penetration';
    for (const run of this.runs) if (run.recorded) run.recorded.needContacts = need;
  }

  select(body: number): void {
    this.selected = body;
    this.stage.views.forEach((view) => view.bodies.select(body));
    this.panel.showSelected(body);
    this.updateContactNeed();
    this.inspector.show(this.runs[0]?.shown ?? null, body);
    if (this.display.onlySelected) this.applyDisplay();
    if (body >= 0) this.plotBody(body);
    this.followedAt = this.bodyCentre(body);
    if (body < 0) this.follow(false);
    this.stage.dirty = true;
    this.shownKey = '';
  }

  /** Puts a body into the coordinate plot. */
  private plotBody(body: number): void {
    if (!this.scene || body < 0) return;
    if (this.trackBody === body && this.tracks.length > 0 && this.scene.mode !== 'live') return;
    this.trackBody = body;
    this.plots.showBody(body);
    for (const run of this.runs) {
      this.tracks[run.number] = null;
      if (this.scene.mode === 'recording') {
        const stride = Math.max(1, Math.ceil(run.info.frames / 20_000));
        this.send({ type: 'get_track', run: run.number, body, stride });
      } else this.tracks[run.number] = GrowingTrack.of(run.frames, body);
    }
    this.plots.find('coordinate')?.redraw();
  }

  private follow(on: boolean): void {
    this.following = on && this.selected >= 0;
    if (on && this.selected < 0) this.say('Select a body to follow: click it, or choose it in the list.');
    this.followedAt = this.following ? this.bodyCentre(this.selected) : null;
    this.panel.showFollow(this.following);
  }

  /** Frames the whole run, as far as its frames are here: a film should not lose its actors. */
  fitRun(): void {
    const frames = this.runs[0]?.frames;
    if (!frames) return;
    const some: Frame[] = [];
    const stride = Math.max(1, Math.floor(frames.count / 200));
    for (let i = frames.first; i < frames.first + frames.count; i += stride) {
      const frame = frames.frame(i);
      if (frame) some.push(frame);
    }
    this.stage.fit(some);
  }

  private followBody(): void {
    const at = this.bodyCentre(this.selected);
    if (!at) return;
    if (this.followedAt) this.stage.rig.shift(at.clone().sub(this.followedAt));
    this.followedAt = at;
  }

  bodyCentre(body: number, run = 0): Vector3 | null {
    const frame = this.runs[run]?.shown;
    if (!frame || body < 0 || body >= frame.bodies) return null;
    const p = frame.position;
    return new Vector3(p[3 * body], p[3 * body + 1], p[3 * body + 2]);
  }

  private toggleProjection(): void {
    this.stage.rig.setOrthographic(!this.stage.rig.orthographicView);
    this.panel.showProjection(this.stage.rig.orthographicView);
  }

  // Picks, measuring, pulling, shooting

  private clicked(pick: Pick | null): void {
    if (!this.measuring) {
      this.select(pick?.body ?? -1);
      return;
    }
    if (!pick) return;
    if (this.measured.length >= 2) this.measured.length = 0;
    this.measured.push(pick.point.clone());
    this.showMeasure();
  }

  private toggleMeasure(): void {
    this.measuring = !this.measuring;
    this.measured.length = 0;
    this.panel.showMeasuring(this.measuring);
    this.showMeasure();
    if (this.measuring) this.say('Measure: click two points on bodies.');
  }

  private showMeasure(): void {
    for (const view of this.stage.views) view.showMeasure(this.measured);
    const [a, b] = this.measured;
    const label = this.layout.measureLabel;
    label.hidden = !b;
    if (a && b) {
      const d = b.clone().sub(a);
      setText(label, `${numberText(d.length(), 5)} m  (Δx ${numberText(d.x)}, Δy ${numberText(d.y)}, Δz ${numberText(d.z)})`);
      this.placeMeasureLabel();
    }
    this.stage.dirty = true;
  }

  private placeMeasureLabel(): void {
    const [a, b] = this.measured;
    const middle = a!.clone().add(b!).multiplyScalar(0.5);
    const at = this.stage.toPage(middle);
    const box = this.stage.canvas.getBoundingClientRect();
    const { measureLabel } = this.layout;
    // Over the middle of the line, but whole.
    const within = (x: number, size: number, room: number) => Math.max(4, Math.min(room - size - 4, x));
    const x = within(at.x - box.left - measureLabel.offsetWidth / 2, measureLabel.offsetWidth, box.width);
    const y = within(at.y - box.top - 1.4 * measureLabel.offsetHeight, measureLabel.offsetHeight, box.height);
    measureLabel.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px)`;
  }

  private startDrag(pick: Pick): void {
    const centre = this.bodyCentre(pick.body, pick.view);
    if (!centre) return;
    const r = this.stage.views[pick.view]!.bodies.rotationOf(pick.body);
    const d = pick.point.clone().sub(centre);
    // The transpose takes the point back into the body's frame.
    const point = new Vector3(
      r[0]! * d.x + r[3]! * d.y + r[6]! * d.z,
      r[1]! * d.x + r[4]! * d.y + r[7]! * d.z,
      r[2]! * d.x + r[5]! * d.y + r[8]! * d.z,
    );
    this.drag = { body: pick.body, view: pick.view, point, target: pick.point.clone(), sent: false };
    this.interfered = true;
  }

  private dragTo(target: Vector3): void {
    if (!this.drag) return;
    this.drag.target.copy(target);
    this.drag.sent = false;
    if (performance.now() - this.lastDrag >= dragInterval) this.sendDrag();
  }

  private endDrag(): void {
    if (!this.drag) return;
    this.drag = null;
    for (const view of this.stage.views) view.showSpring(null, null);
    this.send({ type: 'release' });
    this.stage.dirty = true;
  }

  private sendDrag(): void {
    const { drag } = this;
    if (!drag || drag.sent) return;
    drag.sent = true;
    this.lastDrag = performance.now();
    this.send({ type: 'drag', body: drag.body, point: drag.point.toArray(), target: drag.target.toArray(), number: this.answer.sent(this.lastDrag) });
  }

  /** Sends a target that moved since the last message, and draws the spring in every view. */
  private updateDrag(): void {
    const { drag } = this;
    if (!drag) return;
    this.sendDrag();
    this.stage.views.forEach((view, i) => {
      const centre = this.bodyCentre(drag.body, i);
      if (!centre) return;
      const r = view.bodies.rotationOf(drag.body);
      const { x, y, z } = drag.point;
      centre.x += r[0]! * x + r[1]! * y + r[2]! * z;
      centre.y += r[3]! * x + r[4]! * y + r[5]! * z;
      centre.z += r[6]! * x + r[7]! * y + r[8]! * z;
      view.showSpring(centre, drag.target);
    });
    this.stage.dirty = true;
  }

  private shoot(): void {
    const view = this.stage.views[0];
    if (this.scene?.mode !== 'live' || !view) return;
    const [x, y, w, h] = this.stage.viewport(0);
    const box = this.stage.canvas.getBoundingClientRect();
    const at = this.pointer.last ?? { x: box.left + x + w / 2, y: box.top + y + h / 2 };
    const ray = this.stage.ray(at.x, at.y);
    if (!ray) return;
    this.interfered = true;
    const { shotSpeed, shotSize } = this.live;
    const target = this.stage.rig.controls.target.clone();
    let position: Vector3;
    let direction = ray.direction;
    if (this.scene.planar) {
      // In the plane there is no depth to shoot along: the block comes from the left at the pointer's height.
      position = new Vector3(view.low.x - 0.4 * view.size, 0, ray.origin.z);
      direction = new Vector3(1, 0, 0);
    } else {
      // From the camera, but not from so far that it takes seconds to arrive, nor so near that it fills the picture.
      const depth = target.sub(ray.origin).dot(direction);
      const start = Math.max(Math.min(5 * shotSize, depth / 2), depth - 1.5 * view.size);
      position = ray.origin.clone().addScaledVector(direction, start);
    }
    this.send({ type: 'shoot', position: position.toArray(), velocity: direction.clone().multiplyScalar(shotSpeed).toArray(), size: shotSize });
  }

  // Keys

  private keyBindings(): KeyBinding[] {
    const mark = (i: number) => {
      const name = contactMarks[i]!;
      this.display.marks[name] = !this.display.marks[name];
      this.applyDisplay();
    };
    return [
      { keys: [' '], label: 'Space', text: 'play or pause', action: () => this.playOrPause() },
      { keys: ['.'], text: 'one frame on; live: one step', action: () => this.step(1) },
      { keys: [','], text: 'one frame back', action: () => this.step(-1) },
      { keys: ['Home'], text: 'to the start', action: () => this.toEnd('start') },
      { keys: ['End'], text: 'to the end', action: () => this.toEnd('end') },
      { keys: ['u', 'U'], label: 'U', text: 'to the next step that is not certified', action: () => this.toNextUncertified() },
      { keys: ['f', 'F'], label: 'F', text: 'fit everything into the view', action: () => this.stage.fit() },
      { keys: ['o', 'O'], label: 'O', text: 'perspective or orthographic', action: () => this.toggleProjection() },
      { keys: ['l', 'L'], label: 'L', text: 'follow the selected body', action: () => this.follow(!this.following) },
      { keys: ['m', 'M'], label: 'M', text: 'measure between two picks', action: () => this.toggleMeasure() },
      { keys: ['1', '2', '3', '4'], label: '1 2 3 4', text: 'contact points, normals, impulses, friction cones', action: (e) => mark(Number(e.key) - 1) },
      { keys: ['n', 'N', 'p', 'P'], label: 'N P', text: 'select the next or previous body', action: (e) => this.selectNext(e.key.toLowerCase() === 'n' ? 1 : -1) },
      { keys: ['r', 'R'], label: 'R', text: 'start again', live: true, action: () => this.reset() },
      { keys: ['b', 'B'], label: 'B', text: 'shoot a block along the view', live: true, action: () => this.shoot() },
      { keys: ['Escape'], label: 'Esc', text: 'select nothing', action: () => this.select(-1) },
      { keys: ['t', 'T'], label: 'T', text: 'light or dark', action: () => this.themeChoice.toggle() },
    ];
  }

  private selectNext(direction: 1 | -1): void {
    const n = this.scene?.bodies.length ?? 0;
    if (n > 0) this.select((Math.max(this.selected, direction > 0 ? -1 : 0) + direction + n) % n);
  }

  /** With the view focused: arrows turn it, plus and minus zoom; Shift and arrows pull the selected body of a live run. */
  private cameraKeys(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey && this.scene?.mode === 'live' && this.selected >= 0) this.pullByKey(arrow);
    else if (arrow) this.stage.rig.turn(0.1 * arrow[0], 0.1 * arrow[1], 1);
    else if (event.key === '+' || event.key === '=') this.stage.rig.turn(0, 0, 1.15);
    else if (event.key === '-') this.stage.rig.turn(0, 0, 1 / 1.15);
    else return;
    event.preventDefault();
  }

  private pullByKey([right, up]: [number, number]): void {
    const centre = this.bodyCentre(this.selected);
    if (!centre) return;
    const { elements } = this.stage.rig.camera.matrixWorld;
    const reach = 2 * this.stage.views[0]!.bodies.bodyRadius(this.selected);
    const target = centre
      .clone()
      .add(new Vector3(elements[0], elements[1], elements[2]).multiplyScalar(right * reach))
      .add(new Vector3(elements[4], elements[5], elements[6]).multiplyScalar(up * reach));
    this.interfered = true;
    this.drag = { body: this.selected, view: 0, point: new Vector3(), target, sent: false };
  }
}
