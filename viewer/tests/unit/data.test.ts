import { AwaitedAnswer } from '../../src/data/awaited_answer';
import { describe, expect, it } from 'vitest';
import { LiveFrames } from '../../src/data/live_frames';
import { Playback } from '../../src/data/playback';
import { RecordedFrames } from '../../src/data/recorded_frames';
import { Steps } from '../../src/data/steps';
import { decodeMessage, type Message } from '../../src/wire/decode';
import { cardHouse, framesMessage, stepsMessage } from '../mock/worlds';

const world = cardHouse(2);
const decoded = (b: Buffer): Message => decodeMessage(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
const frames = (first: number, count: number, contacts = true) => decoded(framesMessage(world, first, count, contacts));
const info = (n: number) => ({ solver: 's', frames: n, steps: 0, duration: (n - 1) / 60 });

describe('RecordedFrames', () => {
  const make = (n = 1000, bytes = 1e9) => {
    const asked: [number, number, boolean][] = [];
    const source = new RecordedFrames(info(n), world.bodies.length, (n - 1) / 60, (first, count, contacts) => {
      asked.push([first, count, contacts]);
      return true;
    }, { bytes, answerBytes: 1e5 });
    return { source, asked };
  };

  it('asks for what is looked at, once', () => {
    const { source, asked } = make();
    expect(source.frame(500)).toBeNull();
    expect(source.frame(500)).toBeNull();
    expect(asked).toHaveLength(1);
    expect(asked[0]![0]).toBe(500);
    source.receive(frames(500, 4));
    const frame = source.frame(502)!;
    expect(frame.index).toBe(502);
    expect(frame.time).toBeCloseTo(502 / 60, 12);
    expect(frame.contacts!.count).toBe(world.contacts.length);
    expect(frame.contacts!.bodyA[3]).toBe(world.contacts[3]!.a);
    expect(source.frame(502)).toBe(frame);
    source.frame(504);
    expect(asked[1]![0]).toBe(504);
  });

  it('fetches a frame again when its contacts are needed, and shows it meanwhile', () => {
    const { source, asked } = make();
    source.needContacts = false;
    source.frame(0);
    source.receive(frames(0, 4, false));
    expect(source.frame(1)!.contacts).toBeNull();
    expect(asked).toHaveLength(1);
    source.needContacts = true;
    expect(source.frame(1)).not.toBeNull();
    expect(asked[1]).toMatchObject([1, expect.any(Number) as number, true]);
  });

  it('forgets what was not used for longest', () => {
    const size = frames(0, 4).bytes;
    const { source } = make(1000, 2.5 * size);
    source.receive(frames(0, 4));
    source.receive(frames(100, 4));
    source.frame(0);
    source.receive(frames(200, 4));
    expect(source.has(0)).toBe(true);
    expect(source.has(100)).toBe(false);
    expect(source.has(200)).toBe(true);
    expect(source.timeAt(101)).toBeCloseTo(101 / 60, 12);
  });

  it('finds frames by time, at exact times and between them', () => {
    const { source } = make();
    for (const i of [0, 1, 59, 600, 999]) {
      expect(source.indexAt(source.timeAt(i))).toBe(i);
      expect(source.indexAt(source.timeAt(i) + 0.4 / 60)).toBe(i);
    }
    expect(source.indexAt(-1)).toBe(0);
    expect(source.indexAt(1e9)).toBe(999);
  });

  it('asks again after a lost connection', () => {
    const { source, asked } = make();
    source.frame(7);
    source.forgetRequests();
    source.frame(7);
    expect(asked).toHaveLength(2);
  });
});

describe('LiveFrames', () => {
  it('keeps the newest within its limits and finds them by time', () => {
    const live = new LiveFrames(1e9, 100);
    for (let i = 0; i < 250; ++i) live.receive(frames(i, 1));
    expect(live.count).toBeLessThanOrEqual(100);
    expect(live.frame(live.newest())!.time).toBeCloseTo(249 / 60, 12);
    expect(live.indexAt(live.timeAt(live.first + 5))).toBe(live.first + 5);
  });

  it('begins anew when time jumps back', () => {
    const live = new LiveFrames();
    live.receive(frames(50, 1));
    live.receive(frames(0, 1));
    expect(live.count).toBe(1);
    expect(live.endTime()).toBe(0);
  });
});

describe('Steps', () => {
  const rows = (first: number, count: number, stride = 1) => decoded(stepsMessage(first, count, stride, 1e9));

  it('grow, and know what is not certified', () => {
    const steps = new Steps();
    steps.receive(rows(0, 1000));
    steps.receive(rows(1000, 1000));
    expect(steps.count).toBe(2000);
    expect(steps.at('step', 1999)).toBe(2000);
    expect(steps.uncertified.step).toEqual([1700]);
    expect(steps.rowAt(1.5)).toBe(1499);
    expect(steps.rowAt(0)).toBe(-1);
    expect(steps.rowOfStep(1700)).toBe(1699);
  });

  it('take rows back after a reset and start anew after a gap', () => {
    const steps = new Steps();
    steps.receive(rows(0, 2000));
    steps.cutAfter(1);
    expect(steps.count).toBe(1000);
    expect(steps.uncertified.step).toEqual([]);
    steps.receive(rows(5000, 10));
    expect(steps.count).toBe(10);
    expect(steps.at('step', 0)).toBe(5001);
    steps.receive(rows(0, 5));
    expect(steps.count).toBe(5);
    expect(steps.at('step', 0)).toBe(1);
  });

  it('hold thinned rows', () => {
    const steps = new Steps();
    steps.receive(rows(0, 1000, 10));
    steps.receive(rows(1000, 1000, 10));
    expect(steps.count).toBe(200);
    expect(steps.at('time', 199)).toBeCloseTo(2);
  });
});

describe('Playback', () => {
  it('plays, loops, stops and starts again', () => {
    const playback = new Playback();
    playback.setRange(0, 1);
    playback.play();
    playback.speed = 2;
    playback.advance(0.2);
    expect(playback.time).toBeCloseTo(0.4);
    playback.seek(0.99);
    playback.advance(0.1);
    expect(playback.time).toBe(0);
    playback.loop = false;
    playback.seek(0.99);
    playback.advance(0.1);
    expect(playback.time).toBe(1);
    expect(playback.playing).toBe(false);
    playback.play();
    expect(playback.time).toBe(0);
  });

  it('does not leap after a hidden tab', () => {
    const playback = new Playback();
    playback.setRange(0, 100);
    playback.play();
    playback.advance(60);
    expect(playback.time).toBeLessThan(1);
  });
});

describe('the answer to a pull', () => {
  it('is awaited until a frame shows it', () => {
    const answer = new AwaitedAnswer();
    expect(answer.holds(0)).toBe(false);
    expect(answer.sent(100)).toBe(1);
    expect(answer.holds(101)).toBe(true);
    answer.arrived(0, 2);
    expect(answer.holds(102), 'a frame from before the pull').toBe(true);
    answer.arrived(1, 2.001);
    expect(answer.holds(103), 'nothing has moved yet').toBe(true);
    answer.arrived(1, 2.01);
    expect(answer.holds(104)).toBe(false);
  });

  it('is awaited for the first of several pulls, and not for long', () => {
    const answer = new AwaitedAnswer();
    expect([answer.sent(0), answer.sent(8), answer.sent(16)]).toEqual([1, 2, 3]);
    answer.arrived(1, 1);
    answer.arrived(2, 1.02);
    expect(answer.holds(17)).toBe(false);
    answer.sent(20);
    expect(answer.holds(49)).toBe(true);
    expect(answer.holds(50)).toBe(false);
    expect(answer.holds(20), 'it is given up').toBe(false);
  });

  it('is drawn at once, and pictures that nobody awaits come at leisure', () => {
    const answer = new AwaitedAnswer();
    answer.drawn(0);
    expect(answer.holds(10)).toBe(true);
    expect(answer.holds(40)).toBe(false);
    answer.drawn(40);
    answer.sent(45);
    answer.arrived(1, 1);
    answer.arrived(1, 1.01);
    expect(answer.holds(50), 'the answer is here').toBe(false);
    answer.drawn(50);
    expect(answer.holds(51)).toBe(true);
  });
});
