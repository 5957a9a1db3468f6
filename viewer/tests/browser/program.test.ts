// The page and the program together. Needs CARDHOUSE_PROGRAM, the path of a built `cardhouse`.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, openPage, picture } from './browser';
import { differenceFromReference } from './references';
import { program, run, view } from './program';

if (!program) console.log('CARDHOUSE_PROGRAM is not set: the page is not tested together with the program.');

let browser: Browser;
let folder: string;
const house = () => join(folder, 'house', 'recording.h5');

beforeAll(async () => {
  if (!program) return;
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), 'cardhouse-viewer-'));
  run('run', 'card_house', 'levels=3', '--duration', '1', '--out', join(folder, 'house'), '--quiet');
});
afterAll(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const waitForFrame = (page: Page, wanted: number) =>
  page.waitForFunction((n) => window.cardhouse.frame() === n, wanted, { polling: 30, timeout: 15_000 });

function reportOf(recording: string, name: string): string {
  const path = join(folder, name);
  run('report', recording, '--out', path);
  if (process.env.CARDHOUSE_PAGE) {
    const data = /<script type="text\/plain" id="cardhouse-report">[^<]*<\/script>/.exec(readFileSync(path, 'utf8'))![0];
    writeFileSync(path, readFileSync(process.env.CARDHOUSE_PAGE, 'utf8').replace('<!-- cardhouse-report -->', () => data));
  }
  return path;
}

/** A body that can be clicked at its centre. */
const clickableBody = (page: Page) =>
  page.evaluate(() => {
    const names = window.cardhouse.bodies();
    for (let b = names.length - 1; b > 0; --b) {
      const at = window.cardhouse.bodyOnScreen(b);
      if (at && window.cardhouse.bodyAt(at.x, at.y) === b) return { body: b, ...at };
    }
    throw new Error('no body is visible');
  });

describe.runIf(program)('a recording of the program', () => {
  it('plays, scrubs, steps; bodies are picked, contacts drawn, data saved', async () => {
    const server = await view(0, house());
    const { page, problems } = await openPage(browser, server.address);
    expect(await page.evaluate(() => window.cardhouse.mode())).toBe('recording');
    expect(await page.evaluate(() => window.cardhouse.frameCount())).toBe(61);
    await expect.poll(() => page.evaluate(() => window.cardhouse.steps())).toBe(1000);
    await page.keyboard.press('.');
    await waitForFrame(page, 1);
    await page.keyboard.press(',');
    await waitForFrame(page, 0);
    await page.locator('#scrub').evaluate((slider: HTMLInputElement) => {
      slider.value = '30';
      slider.dispatchEvent(new Event('input'));
    });
    await waitForFrame(page, 30);
    expect(await page.evaluate(() => window.cardhouse.time())).toBeCloseTo(0.5, 6);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.cardhouse.frame() > 33, undefined, { polling: 30 });
    await page.keyboard.press(' ');
    const target = await clickableBody(page);
    await page.mouse.click(target.x, target.y);
    expect(await page.evaluate(() => window.cardhouse.selected())).toBe(target.body);
    await expect.poll(() => page.locator('.contacts tbody tr:visible').count()).toBeGreaterThan(1);
    await page.locator('[data-mark="points"]').check();
    await page.locator('[data-mark="impulses"]').check();
    await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(20);
    await page.waitForTimeout(700);
    expect((await picture(page, 'program-recording')).drawn).toBeGreaterThan(0.1);
    await expect.poll(() => page.locator('[data-plot="coordinate"] .reading').first().innerText()).toMatch(/^\d/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-export="residual-csv"]').click()]);
    expect(readFileSync(await download.path(), 'utf8').trim().split('\n')).toHaveLength(1001);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('of 10,000 frames opens without loading them all', async () => {
    run('run', 'sliding_block', '--duration', '10', '--fps', '1000', '--out', join(folder, 'long'), '--quiet');
    const server = await view(0, join(folder, 'long', 'recording.h5'));
    const { page, problems } = await openPage(browser, server.address);
    expect(await page.evaluate(() => window.cardhouse.frameCount())).toBeGreaterThanOrEqual(10_000);
    await page.evaluate(() => window.cardhouse.seek(7.5));
    await waitForFrame(page, 7500);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('goes on after the program was started again', async () => {
    const first = await view(0, house());
    const { page, problems } = await openPage(browser, first.address, { restarts: true });
    await page.evaluate(() => window.cardhouse.seek(0.5));
    await waitForFrame(page, 30);
    await first.close();
    await expect.poll(() => page.locator('.status').innerText()).toMatch(/reconnecting/);
    const second = await view(first.port, house());
    await expect.poll(() => page.locator('.status').innerText(), { timeout: 15_000 }).toBe('connected');
    await waitForFrame(page, 30);
    await page.keyboard.press('End');
    await waitForFrame(page, 60);
    expect(problems).toEqual([]);
    await page.context().close();
    await second.close();
  });

  it('becomes a report that opens from file://', async () => {
    const path = reportOf(house(), 'house.html');
    console.log(`report: ${(statSync(path).size / 1e6).toFixed(2)} MB`);
    const { page, problems } = await openPage(browser, `file://${path}`);
    expect(await page.evaluate(() => window.cardhouse.mode())).toBe('report');
    await page.keyboard.press('End');
    await waitForFrame(page, 60);
    expect(await page.evaluate(() => window.cardhouse.steps())).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    expect((await picture(page, 'program-report')).drawn).toBeGreaterThan(0.1);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

describe.runIf(program)('a body with nodes', () => {
  const node = (page: Page, n: number) => page.evaluate((i) => window.cardhouse.nodePosition(1, i), n);

  it('is shown node by node, from a recording and from its report', async () => {
    run('run', 'chain_body', 'count=30', '--duration', '0.2', '--out', join(folder, 'chain'), '--quiet');
    const recording = join(folder, 'chain', 'recording.h5');
    const server = await view(0, recording);
    const seen: (number[] | null)[] = [];
    for (const address of [server.address, `file://${reportOf(recording, 'chain.html')}`]) {
      const { page, problems } = await openPage(browser, address);
      const start = (await node(page, 29))!;
      expect(start[0]).toBeCloseTo(29 * 0.03, 6);
      await page.keyboard.press('End');
      await waitForFrame(page, 12);
      seen.push(await node(page, 29));
      expect(seen.at(-1)![1], 'it slides').toBeGreaterThan(start[1] + 0.01);
      expect(await node(page, 30), 'there is no other').toBeNull();
      const at = (await page.evaluate(() => window.cardhouse.nodeOnScreen(1, 7)))!;
      await page.mouse.click(at.x, at.y);
      expect(await page.evaluate(() => [window.cardhouse.selected(), window.cardhouse.selectedNode()])).toEqual([1, 7]);
      await expect.poll(() => page.locator('.contact-count').innerText()).toBe('1 contact of the node');
      expect(await page.locator('.facts .kind').innerText()).toBe('network of 30 nodes');
      await page.waitForTimeout(400);
      await picture(page, `program-network-${seen.length}`);
      expect(problems).toEqual([]);
      await page.context().close();
    }
    expect(seen[1]).toEqual(seen[0]);
    await server.close();
  });

  it('is pulled by one of them', async () => {
    const server = await view(0, 'chain_body', 'count=3');
    const { page, problems } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.time() > 1, undefined, { polling: 50 });
    const before = (await node(page, 1))!;
    const at = (await page.evaluate(() => window.cardhouse.nodeOnScreen(1, 1)))!;
    await page.keyboard.down('Shift');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 60);
    await page.waitForFunction((z) => window.cardhouse.nodePosition(1, 1)![2] > z + 0.004, before[2], { polling: 30, timeout: 15_000 });
    await picture(page, 'program-pull-node');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    expect(await page.locator('.message').isVisible(), 'nothing is refused').toBe(false);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });
});

describe.runIf(program)('a live run of the program', () => {
  it('is paused, stepped, changed, shot at and reset', async () => {
    const server = await view(0, 'card_house', 'levels=3');
    const { page, problems } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.time() > 0.1, undefined, { polling: 50 });
    await page.keyboard.press(' ');
    await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
    await page.waitForTimeout(300);
    const paused = await page.evaluate(() => window.cardhouse.time());
    await page.keyboard.press('.');
    await page.waitForFunction((t) => window.cardhouse.time() > t, paused, { polling: 30 });
    expect(await page.evaluate(() => window.cardhouse.time())).toBeCloseTo(paused + 0.001, 6);
    const solvers = await page.locator('#solver-0 option').allInnerTexts();
    await page.locator('#solver-0').selectOption(solvers[solvers.length - 1]!);
    await page.locator('#tolerance').fill('1e-6');
    await page.locator('#tolerance').press('Enter');
    await page.locator('#gravity-z').fill('1e308');
    await page.locator('#gravity-z').press('Enter');
    await expect.poll(() => page.locator('#gravity-refusal').innerText()).toMatch(/^gravity\[2\] = 1e\+308 m\/s²: must be at most /);
    await expect.poll(() => page.locator('#gravity-z').inputValue()).toBe('-9.81');
    await page.locator('#mu').fill('0.7');
    await page.locator('#mu').press('Enter');
    await page.locator('#step-size').fill('2');
    await page.locator('#step-size').press('Enter');
    await page.locator('.view canvas').focus();
    await expect.poll(() => page.locator('#step-size').inputValue()).toBe('2');
    await expect.poll(() => page.locator('#solver-0').inputValue()).toBe(solvers[solvers.length - 1]);
    const before = await page.evaluate(() => window.cardhouse.time());
    await page.keyboard.press('.');
    await page.waitForFunction((t) => window.cardhouse.time() > t, before, { polling: 30 });
    expect(await page.evaluate(() => window.cardhouse.time())).toBeCloseTo(before + 0.002, 6);
    const bodies = await page.evaluate(() => window.cardhouse.bodies().length);
    await page.locator('#shoot').click();
    await expect.poll(() => page.evaluate(() => window.cardhouse.bodies().length), { timeout: 5000 }).toBe(bodies + 1);
    await page.locator('.view canvas').focus();
    await page.keyboard.press(' ');
    await page.waitForTimeout(1500);
    await picture(page, 'program-shot');
    await page.locator('#reset').click();
    await expect.poll(() => page.evaluate(() => window.cardhouse.bodies().length), { timeout: 5000 }).toBe(bodies);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('lets a body be pulled', async () => {
    const server = await view(0, 'card_house', 'levels=4');
    const { page, problems } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.time() > 0.2, undefined, { polling: 50 });
    const target = await clickableBody(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(target.x, target.y);
    await page.mouse.down();
    await page.mouse.move(target.x + 40, target.y - 60);
    await page.waitForFunction(({ body, y }) => window.cardhouse.bodyOnScreen(body)!.y < y - 10, target, { polling: 30, timeout: 15_000 });
    await picture(page, 'program-pull');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('is watched by several pages at once, and obeys each of them', async () => {
    const server = await view(0, 'card_house', 'levels=2');
    const [first, second] = [await openPage(browser, server.address), await openPage(browser, server.address)];
    const playing = (page: Page) => page.evaluate(() => window.cardhouse.playing());
    const time = (page: Page) => page.evaluate(() => window.cardhouse.time());
    const step = (page: Page) => page.evaluate(() => window.cardhouse.step());
    for (const { page } of [first, second]) await page.waitForFunction(() => window.cardhouse.time() > 0.1, undefined, { polling: 50 });
    // Both see one run go on.
    const [before, beforeOther] = [await time(first.page), await time(second.page)];
    await expect.poll(() => time(first.page)).toBeGreaterThan(before);
    await expect.poll(() => time(second.page)).toBeGreaterThan(beforeOther);
    // What one of them pauses and steps stands still and goes on for the other.
    await first.page.keyboard.press(' ');
    for (const { page } of [first, second]) await expect.poll(() => playing(page)).toBe(false);
    await expect.poll(async () => (await step(first.page)) - (await step(second.page))).toBe(0);
    const paused = await step(first.page);
    await second.page.keyboard.press('.');
    for (const { page } of [first, second]) await expect.poll(() => step(page)).toBe(paused + 1);
    expect(await first.page.evaluate(() => window.cardhouse.bodyPosition(3))).toEqual(await second.page.evaluate(() => window.cardhouse.bodyPosition(3)));
    // A shot of one is a body of both, and one that leaves takes nothing with it.
    const bodies = await first.page.evaluate(() => window.cardhouse.bodies().length);
    await second.page.keyboard.press('b');
    for (const { page } of [first, second]) await expect.poll(() => page.evaluate(() => window.cardhouse.bodies().length)).toBe(bodies + 1);
    expect(second.problems).toEqual([]);
    await second.page.context().close();
    await first.page.keyboard.press(' ');
    await expect.poll(() => playing(first.page)).toBe(true);
    await expect.poll(() => step(first.page)).toBeGreaterThan(paused + 10);
    expect(first.problems).toEqual([]);
    await first.page.context().close();
    await server.close();
  });

  it('shows two solvers side by side, and both residuals in one plot', async () => {
    const server = await view(0, 'card_house', 'levels=3', '--compare', 'staggered-projections,projected-gauss-seidel');
    const { page, problems } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.time() > 0.2, undefined, { polling: 50 });
    expect(await page.locator('.view-labels span').allInnerTexts()).toEqual(['staggered-projections', 'projected-gauss-seidel']);
    await expect.poll(() => page.locator('[data-plot="residual"] .legend-item').count()).toBe(2);
    const [left, right] = await page.evaluate(() => [window.cardhouse.bodyOnScreen(1, 0)!, window.cardhouse.bodyOnScreen(1, 1)!] as const);
    expect(right.x - left.x).toBeGreaterThan(200);
    // The solver of one run changes alone.
    await page.locator('#solver-1').selectOption('newton');
    await expect.poll(() => page.locator('.view-labels span').allInnerTexts()).toEqual(['staggered-projections', 'newton']);
    await page.locator('.view canvas').focus();
    await page.keyboard.press(' ');
    await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
    await page.waitForTimeout(400);
    expect(await differenceFromReference(page, 'program-compare', { onlyView: true })).toBe('');
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('tells of a step that is not certified why, and what the diagnosis found', async () => {
    // No solver of this kind reaches 1e-15.
    const server = await view(0, 'card_house', 'levels=2', '--solver', 'projected-gauss-seidel', '--tolerance', '1e-15', '--diagnose');
    const { page, problems } = await openPage(browser, server.address);
    await expect.poll(() => page.evaluate(() => window.cardhouse.uncertified())).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.banner').isVisible()).toBe(true);
    await expect.poll(() => page.locator('.banner').innerText()).toMatch(/is not certified[\s\S]*Diagnosis: subspace angle \(rad\) [\d.]+ · Painlevé ratio [\d.]+ · rank \d+ · rows \d+/);
    await picture(page, 'program-diagnosis');
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('shows joints, and the pile through the walls of its bin', async () => {
    const chain = await view(0, 'chain', 'joint=hinge', '--paused');
    const jointed = await openPage(browser, chain.address);
    expect(await jointed.page.evaluate(() => window.cardhouse.stats().joints)).toBe(10);
    await jointed.page.evaluate(() => window.cardhouse.select(3));
    await expect.poll(() => jointed.page.locator('.joints tbody tr:visible').count()).toBe(2);
    expect(await differenceFromReference(jointed.page, 'program-chain', { onlyView: true })).toBe('');
    expect(jointed.problems).toEqual([]);
    await jointed.page.context().close();
    await chain.close();
    const bin = await view(0, 'sphere_pile', 'count=40', '--paused');
    const { page, problems } = await openPage(browser, bin.address);
    const target = await clickableBody(page);
    expect(target.body, 'a sphere is picked through the wall').toBeGreaterThan(0);
    expect(await differenceFromReference(page, 'program-bin', { onlyView: true })).toBe('');
    expect(problems).toEqual([]);
    await page.context().close();
    await bin.close();
  });

  it('says at once that a token is wrong', async () => {
    const server = await view(0, 'box_stack', '--paused');
    const page = await browser.newPage();
    await page.goto(server.address.replace(/token=.*/, 'token=0'));
    await expect.poll(() => page.locator('.status').innerText(), { timeout: 3000 }).toMatch(/wrong token/);
    await page.context().close();
    await server.close();
  });

  it('goes back two frames for two quick commands', async () => {
    const server = await view(0, 'box_stack');
    const { page } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.frame() > 10, undefined, { polling: 50 });
    await page.keyboard.press(' ');
    await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
    await page.waitForTimeout(300);
    const at = await page.evaluate(() => window.cardhouse.frame());
    await page.evaluate(() => {
      for (let i = 0; i < 2; ++i) document.dispatchEvent(new KeyboardEvent('keydown', { key: ',', bubbles: true }));
    });
    await expect.poll(() => page.evaluate(() => window.cardhouse.frame())).toBe(at - 2);
    await page.context().close();
    await server.close();
  });

  it('plots no dissipation where a motor works', async () => {
    const scene = JSON.parse(run('scene', 'pendulum', 'joint=hinge')) as { joints: { motor?: object }[]; duration: number };
    scene.joints[0]!.motor = { velocity: 3, max_force: 50 };
    scene.duration = 2;
    writeFileSync(join(folder, 'motor.json'), JSON.stringify(scene));
    run('run', join(folder, 'motor.json'), '--out', join(folder, 'motor'), '--quiet');
    const server = await view(0, join(folder, 'motor', 'recording.h5'));
    const { page, problems } = await openPage(browser, server.address);
    await page.waitForFunction(() => window.cardhouse.steps() > 1000, undefined, { polling: 50 });
    await page.evaluate(() => window.cardhouse.seek(2));
    const reading = async (name: string) => parseFloat(await page.locator('[data-plot="energy"] .legend-item', { hasText: name }).locator('.reading').innerText());
    await expect.poll(() => reading('dissipated')).not.toBeNaN();
    await picture(page, 'motor');
    // Less than nought it cannot be, but by the step's own error; without the motor's work it would be −13 J.
    expect(await reading('dissipated')).toBeGreaterThan(-0.2);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });

  it('of a planar scene takes a square that is shot', async () => {
    const server = await view(0, 'cannonball');
    const { page, problems } = await openPage(browser, server.address);
    const bodies = await page.evaluate(() => window.cardhouse.bodies().length);
    const target = await clickableBody(page);
    await page.mouse.move(target.x, target.y);
    await page.keyboard.press('b');
    await expect.poll(() => page.evaluate(() => window.cardhouse.bodies().length)).toBe(bodies + 1);
    const place = () => page.evaluate((b) => window.cardhouse.bodyPosition(b), bodies);
    await expect.poll(place).toBeTruthy();
    const start = (await place())!;
    await expect.poll(async () => (await place())![0]).toBeGreaterThan(start[0] + 0.1);
    expect((await place())![1]).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });
});

it('says whether the program was tested', () => {
  // A path that is set and wrong has failed above; here only the choice is put on record.
  expect(program === '' || statSync(program).isFile()).toBe(true);
});
