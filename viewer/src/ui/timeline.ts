import { button, checkbox, element, select, setText } from './dom';

export interface TimelineActions {
  playOrPause: () => void;
  step: (direction: 1 | -1) => void;
  seekIndex: (index: number) => void;
  toEnd: (end: 'start' | 'end') => void;
  speed: (value: number) => void;
  loop: (on: boolean) => void;
}

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8] as const;

/** Transport buttons, the slider with its red marks, and the reading of the time. */
export class Timeline {
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly marks = element('canvas', { class: 'timeline-marks', 'aria-hidden': 'true' });
  private readonly reading = element('output', { class: 'time-reading' });
  private readonly detail = element('span', { class: 'time-detail' });
  private readonly speed: HTMLSelectElement;
  private readonly loop: ReturnType<typeof checkbox>;
  private readonly toLive: HTMLButtonElement;
  private drawn = '';
  /** of the marks; kept here because asking the page for it costs a layout */
  private width = 0;

  constructor(root: HTMLElement, actions: TimelineActions) {
    this.play = button('▶', 'Play or pause (space)', actions.playOrPause, { class: 'primary', id: 'play' });
    this.slider = element('input', { type: 'range', min: '0', max: '0', step: '1', value: '0', id: 'scrub', 'aria-label': 'Time' });
    this.slider.addEventListener('input', () => actions.seekIndex(Number(this.slider.value)));
    this.speed = select(
      'Speed',
      speeds.map((s) => [String(s), `${s}×`] as const),
      (value) => actions.speed(Number(value)),
      { id: 'speed' },
    );
    this.speed.value = '1';
    this.loop = checkbox('Loop', true, actions.loop, { id: 'loop' });
    this.toLive = button('Now', 'Go to the newest frame', () => actions.toEnd('end'), { id: 'to-live', class: 'small' });
    root.append(
      element('div', { class: 'transport' }, [
        button('|‹', 'To the start (Home)', () => actions.toEnd('start'), { id: 'to-start' }),
        button('‹', 'One frame back (,)', () => actions.step(-1), { id: 'step-back' }),
        this.play,
        button('›', 'One step forward (.)', () => actions.step(1), { id: 'step-on' }),
      ]),
      element('div', { class: 'track' }, [this.marks, this.slider]),
      element('div', { class: 'time-text' }, [this.reading, this.detail]),
      element('div', { class: 'time-options' }, [this.speed, this.loop.root, this.toLive]),
    );
    new ResizeObserver(() => (this.width = this.marks.clientWidth)).observe(this.marks);
    this.setLive(false);
  }

  setLive(live: boolean): void {
    this.loop.root.hidden = live;
    this.toLive.hidden = !live;
  }

  /** In live runs speed 0 means: as fast as it can. */
  setSpeeds(live: boolean): void {
    const all: [string, string][] = speeds.map((s) => [String(s), `${s}×`]);
    if (live) all.push(['0', 'fastest']);
    const { value } = this.speed;
    this.speed.replaceChildren(...all.map(([v, text]) => element('option', { value: v }, [text])));
    this.speed.value = value;
  }

  showSpeed(value: number): void {
    if (Number(this.speed.value) === value || document.activeElement === this.speed) return;
    if (![...this.speed.options].some((o) => Number(o.value) === value)) {
      this.speed.append(element('option', { value: String(value) }, [`${value}×`]));
    }
    this.speed.value = String(value);
  }

  showPlaying(playing: boolean): void {
    setText(this.play, playing ? '❚❚' : '▶');
    this.play.setAttribute('aria-label', playing ? 'Pause (space)' : 'Play (space)');
  }

  show(index: number, count: number, time: number, end: number, detail: string): void {
    const max = String(Math.max(0, count - 1));
    if (this.slider.max !== max) this.slider.max = max;
    const value = String(index);
    if (this.slider.value !== value) this.slider.value = value;
    setText(this.reading, `${time.toFixed(3)} s`);
    this.slider.setAttribute('aria-valuetext', `${time.toFixed(3)} of ${end.toFixed(3)} seconds`);
    setText(this.detail, detail);
  }

  /** Red marks at the times of steps that are not certified. */
  showMarks(times: ArrayLike<number>, start: number, end: number, colour: string, version: string): void {
    const { width } = this;
    const key = `${version} ${width} ${start} ${end} ${colour} ${times.length}`;
    if (key === this.drawn || width === 0) return;
    this.drawn = key;
    const ratio = Math.min(2, window.devicePixelRatio);
    const height = this.marks.clientHeight;
    this.marks.width = Math.round(width * ratio);
    this.marks.height = Math.round(height * ratio);
    const context = this.marks.getContext('2d')!;
    context.scale(ratio, ratio);
    context.fillStyle = colour;
    // The slider's thumb does not reach the ends: its middle runs from half its width to the rest.
    const half = 8;
    let last = -Infinity;
    for (let i = 0; i < times.length; ++i) {
      const x = Math.round(half + ((times[i]! - start) / Math.max(1e-12, end - start)) * (width - 2 * half));
      if (x === last || x < 0) continue;
      last = x;
      context.fillRect(x - 1, 0, 2, height);
    }
  }
}
