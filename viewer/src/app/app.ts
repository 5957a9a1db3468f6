import type { Frame } from '../data/frame';
import { PlotPanel } from '../plots/panel';
import { type Theme, themes } from '../scene3d/palette';
import { PointerTools } from '../scene3d/pointer_tools';
import { type Pick, Stage } from '../scene3d/stage';
import { DisplayPanel } from '../ui/display_panel';
import { element, setText } from '../ui/dom';
import { Inspector } from '../ui/inspector';
import { KeyHelp, leaveAfterUse, listenToKeys } from '../ui/keys';
import { buildLayout, type Layout } from '../ui/layout';
import { LivePanel } from '../ui/live_panel';
import { ThemeChoice } from '../ui/theme';
import { Timeline } from '../ui/timeline';
import type { ConnectionStatus } from '../wire/connection';
import type { Message } from '../wire/decode';
import type { SceneHeader, StateHeader } from '../wire/messages';
import { CoordinateTracks } from './coordinate_tracks';
import { applyDisplay } from './display';
import { FrameChooser } from './frame_chooser';
import { FrameTimer } from './frame_timer';
import { keyMap } from './key_map';
import { Measuring } from './measuring';
import { Pulling } from './pulling';
import { Readings } from './readings';
import { Receiver } from './receiver';
import { Selection } from './selection';
import { type Send, Session } from './session';
import { shoot } from './shooting';
import { Transport } from './transport';
import { VerdictDisplay } from './verdict_display';
import { viewKeys } from './view_keys';

/** ms that a scene waits for its first frame, so that the first picture is not one without bodies */
const firstFramePatience = 1000;
/** ms that a sentence for the person stays */
const messageStays = 6000;

/** Brings everything together: messages come in, time goes on, pictures and plots follow. */
export class App {
  readonly session = new Session();
  readonly timer = new FrameTimer();
  readonly transport = new Transport(this.session);
  readonly stage: Stage;
  readonly selection: Selection;
  private readonly layout: Layout;
  private readonly timeline: Timeline;
  private readonly panel: DisplayPanel;
  private readonly live: LivePanel;
  private readonly inspector: Inspector;
  private readonly plots: PlotPanel;
  private readonly themeChoice: ThemeChoice;
  private readonly pointer: PointerTools;
  private readonly chooser: FrameChooser;
  private readonly tracks: CoordinateTracks;
  private readonly measuring: Measuring;
  private readonly pulling: Pulling;
  private readonly readings: Readings;
  private readonly receiver: Receiver;
  private readonly help: KeyHelp;
  private readonly modeBadge = element('span', { class: 'badge quiet-badge' });
  private readonly ratioBadge = element('span', { class: 'badge quiet-badge', id: 'ratio-badge', hidden: '' });
  private theme: Theme = themes.light;
  private pullsWithoutShift = false;
  private lastTick = 0;
  private messageTimer = 0;

  constructor(private readonly root: HTMLElement) {
    const { session } = this;
    root.classList.add('waiting');
    this.layout = buildLayout(root, {
      help: () => this.help.toggle(),
      theme: () => this.toggleTheme(),
      resized: () => this.plots.redrawAll(),
    });
    this.stage = new Stage(this.layout.view);
    this.measuring = new Measuring(this.stage, this.layout.measureLabel);
    this.pulling = new Pulling(session, this.stage);
    this.chooser = new FrameChooser(session, this.stage);
    this.timeline = this.makeTimeline();
    this.panel = this.makeDisplayPanel();
    this.live = this.makeLivePanel();
    this.inspector = new Inspector(this.layout.inspector, {
      close: () => this.selection.select(-1),
      select: (body) => this.selection.select(body),
    });
    this.plots = this.makePlots();
    this.tracks = new CoordinateTracks(session, this.plots);
    const { stage, layout, timeline, panel, inspector, plots, tracks, chooser, measuring, pulling } = this;
    const applied = () => this.applyDisplay();
    const say = (text: string) => this.say(text);
    this.selection = new Selection(session, { stage, panel, inspector, tracks, say, applyDisplay: applied });
    const verdict = new VerdictDisplay(session, stage, layout.banners);
    verdict.countBadge.addEventListener('click', () => this.transport.toNextUncertified());
    layout.badges.append(this.modeBadge, verdict.badge, this.ratioBadge, verdict.countBadge);
    new ResizeObserver(() => (session.readingsStale = true)).observe(layout.view);
    this.readings = new Readings(session, { stage, layout, timeline, plots, inspector, verdict, measuring, markColour: () => this.theme.threshold });
    this.receiver = new Receiver(session, {
      stage, plots, tracks, chooser, selection: this.selection, measuring, pulling, say, applyDisplay: applied,
      theme: () => this.theme,
      showScene: (scene) => this.showScene(scene),
      showRunNames: () => this.showRunNames(),
      showProjection: () => this.showProjection(),
      showState: (state) => this.showState(state),
      showRefusal: (error) => this.live.refuse(error),
    });
    this.pointer = this.makePointerTools();
    this.themeChoice = new ThemeChoice((name) => this.useTheme(themes[name]));
    this.themeChoice.apply();
    const keys = [...keyMap(this), ...viewKeys(session, stage, pulling)];
    this.help = new KeyHelp([{ keys: ['?'], text: 'this help', action: () => undefined }, ...keys]);
    listenToKeys([{ keys: ['?'], text: '', action: () => this.help.toggle() }, ...keys]);
    leaveAfterUse();
    requestAnimationFrame((now) => this.tick(now));
  }

  // The connection

  useConnection(send: Send): void {
    this.session.send = (request) => {
      const sent = send(request);
      if (!sent && !request.type.startsWith('get_')) this.say('Not connected to the program: nothing was changed.');
      return sent;
    };
  }

  receive(message: Message): void {
    this.receiver.receive(message);
  }

  showStatus(status: ConnectionStatus, attempts: number): void {
    const { status: target } = this.layout;
    target.dataset.status = status;
    if (status === 'connected') setText(target, 'connected');
    else if (status === 'refused') setText(target, 'wrong token: open the address that the program printed');
    else if (attempts === 0) setText(target, 'connecting…');
    else if (attempts < 12) setText(target, 'reconnecting…');
    else setText(target, 'no answer: if the program was started again, open the address it printed');
    this.live.setConnected(status === 'connected');
    if (status !== 'connected') for (const run of this.session.runs) run.recorded?.forgetRequests();
  }

  /** A sentence for the person, for a while. */
  say(text: string): void {
    this.layout.message.textContent = text;
    this.layout.message.hidden = false;
    window.clearTimeout(this.messageTimer);
    this.messageTimer = window.setTimeout(() => (this.layout.message.hidden = true), messageStays);
  }

  // One picture

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const { session, stage, pulling } = this;
    const begin = performance.now();
    if (stage.software && pulling.active && pulling.answer.holds(begin)) {
      pulling.send();
      return;
    }
    const seconds = this.lastTick ? (now - this.lastTick) / 1000 : 0;
    this.lastTick = now;
    if (!session.scene) {
      stage.render(now);
      return;
    }
    const changed = this.chooser.update(seconds);
    if (changed) stage.moved();
    pulling.update();
    if (changed) this.selection.updateCamera();
    stage.playing = session.isPlaying();
    stage.pulling = pulling.active;
    const shown = session.runs.some((run) => run.shown) || begin - this.receiver.sceneSince > firstFramePatience;
    const drew = shown && stage.render(now);
    this.readings.update(now, changed || drew, changed, pulling.active);
    if (!drew) return;
    this.timer.add(performance.now() - begin, now);
    pulling.answer.drawn(begin);
  }

  // What a person can ask for

  applyDisplay(): void {
    applyDisplay(this.session, this.stage, this.panel, this.layout.legend);
  }

  setTheme(name: 'light' | 'dark'): void {
    this.themeChoice.set(name);
  }

  toggleTheme(): void {
    this.themeChoice.toggle();
  }

  toggleProjection(): void {
    this.stage.rig.setOrthographic(!this.stage.rig.orthographicView);
    this.showProjection();
  }

  toggleMeasure(): void {
    this.measuring.toggle();
    this.panel.showMeasuring(this.measuring.on);
    if (this.measuring.on) this.say('Measure: click two points, or press C at each of two selected bodies.');
  }

  /** Measures from or to the selected body's centre. */
  measureCentre(): void {
    const { selected, selectedRun } = this.session;
    if (selected < 0) {
      this.say('Select a body to measure from: click it, or press N.');
      return;
    }
    if (!this.measuring.on) this.toggleMeasure();
    this.measuring.addCentre(selectedRun, selected);
  }

  /** Leaves what was begun last: measuring, or else the selected body. */
  leave(): void {
    if (this.measuring.on) this.toggleMeasure();
    else this.selection.select(-1);
  }

  shoot(): void {
    shoot(this.session, this.stage, { size: this.live.shotSize, speed: this.live.shotSpeed, aim: this.pointer.last });
  }

  /** Frames the whole run, as far as its frames are here: a film should not lose its actors. */
  fitRun(): void {
    const frames = this.session.runs[0]?.frames;
    if (!frames) return;
    const some: Frame[] = [];
    const stride = Math.max(1, Math.floor(frames.count / 200));
    for (let i = frames.first; i < frames.first + frames.count; i += stride) {
      const frame = frames.frame(i);
      if (frame) some.push(frame);
    }
    this.stage.fit(some);
  }

  private clicked(pick: Pick | null): void {
    if (!this.measuring.on) this.selection.select(pick?.body ?? -1, pick?.view, pick?.node);
    else if (pick) this.measuring.add(pick);
  }

  private useTheme(theme: Theme): void {
    this.theme = theme;
    for (const view of this.stage.views) view.setTheme(theme);
    this.stage.dirty = true;
    this.plots.redrawAll();
  }

  // What the page says of a scene

  private showScene(scene: SceneHeader): void {
    const { layout, session } = this;
    const { live } = session;
    document.title = `${scene.title} – cardhouse`;
    setText(layout.title, scene.title);
    setText(layout.subtitle, scene.description || session.runs.map((r) => r.solver).join(' and '));
    setText(this.modeBadge, scene.mode);
    layout.status.hidden = scene.mode === 'report';
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
    this.showRunNames();
    this.root.classList.remove('waiting');
  }

  private showProjection(): void {
    this.panel.showProjection(this.stage.rig.orthographicView);
  }

  private showRunNames(): void {
    const { runs } = this.session;
    this.layout.viewLabels.replaceChildren(...(runs.length > 1 ? runs.map((r) => element('span', {}, [r.solver])) : []));
    this.readings.placeRunLabels();
  }

  private showState(state: StateHeader): void {
    this.live.show(state);
    this.timeline.showSpeed(state.speed);
    setText(this.ratioBadge, state.paused ? 'paused' : `${state.ratio.toFixed(2)}× real time`);
  }

  // The parts of the page, and what their buttons do

  private makeTimeline(): Timeline {
    const { transport, session } = this;
    return new Timeline(this.layout.timeline, {
      playOrPause: () => transport.playOrPause(),
      step: (direction) => transport.step(direction),
      seekIndex: (index) => transport.seekIndex((session.runs[0]?.frames.first ?? 0) + index),
      toEnd: (end) => transport.toEnd(end),
      speed: (value) => transport.setSpeed(value),
      loop: (on) => (session.playback.loop = on),
    });
  }

  private makeDisplayPanel(): DisplayPanel {
    return new DisplayPanel(this.layout.controls, this.session.display, {
      changed: () => this.applyDisplay(),
      look: (direction) => {
        this.stage.rig.look(direction);
        this.stage.fit();
      },
      fit: () => this.stage.fit(),
      projection: () => this.toggleProjection(),
      follow: (on) => this.selection.follow(on),
      measure: () => this.toggleMeasure(),
      selectBody: (body) => this.selection.select(body),
    });
  }

  private makeLivePanel(): LivePanel {
    return new LivePanel(this.layout.controls, {
      reset: () => this.transport.reset(),
      set: (settings) => this.session.send({ type: 'set', ...settings }),
      shoot: () => this.shoot(),
      dragging: (on) => (this.pullsWithoutShift = on),
    });
  }

  private makePlots(): PlotPanel {
    const { session } = this;
    return new PlotPanel(this.layout.plots, {
      runs: () => session.runs,
      tolerance: () => session.tolerance(),
      initialEnergy: () => session.initialEnergy(),
      tracks: () => session.tracks,
      bodyName: (body) => session.scene?.bodies[body]?.name ?? '',
      theme: () => this.theme,
      window: () => session.plotWindow(),
      seek: (time) => this.transport.seek(time),
      fileName: () => (session.scene?.title ?? 'cardhouse').replace(/[^\w-]+/g, '-'),
      chooseBody: (body) => this.tracks.choose(body),
    });
  }

  private makePointerTools(): PointerTools {
    const { pulling } = this;
    return new PointerTools(this.stage, {
      pulls: () => (this.session.live && !this.measuring.on ? this.pullsWithoutShift : null),
      picksGround: () => this.measuring.on,
      clicked: (pick) => this.clicked(pick),
      dragStart: (pick) => pulling.start(pick),
      dragTo: (target) => pulling.moveTo(target),
      dragEnd: () => pulling.end(),
    });
  }
}
