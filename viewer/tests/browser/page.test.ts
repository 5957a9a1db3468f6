// The page against a mock server: everything that needs no simulation.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, type MockOptions, mockReport, startMock } from '../mock/server';
import { arch, cardHouse, chain, joints, pile, shapes } from '../mock/worlds';
import { launch, openPage, outputFolder, picture, type Watched } from './browser';
import { differenceFromReference } from './references';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

async function withPage(
  mock: MockOptions,
  options: Parameters<typeof openPage>[2],
  test: (watched: Watched, mock: Mock) => Promise<void>,
): Promise<void> {
  const server = await startMock(mock);
  const watched = await openPage(browser, server.address, options);
  try {
    await test(watched, server);
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.page.context().close();
    await server.close();
  }
}

const frame = (page: Page) => page.evaluate(() => window.cardhouse.frame());
const waitForFrame = (page: Page, wanted: number) =>
  page.waitForFunction((n) => window.cardhouse.frame() === n, wanted, { polling: 50, timeout: 15_000 });

describe('a recording', () => {
  it('plays, scrubs and steps', async () => {
    await withPage({ world: cardHouse(4) }, {}, async ({ page }) => {
      expect(await frame(page)).toBe(0);
      await page.keyboard.press('.');
      await waitForFrame(page, 1);
      await page.keyboard.press('.');
      await waitForFrame(page, 2);
      await page.keyboard.press(',');
      await waitForFrame(page, 1);
      await page.locator('#scrub').evaluate((slider: HTMLInputElement) => {
        slider.value = '300';
        slider.dispatchEvent(new Event('input'));
      });
      await waitForFrame(page, 300);
      await page.keyboard.press(' ');
      await page.waitForFunction(() => window.cardhouse.frame() > 310, undefined, { polling: 50, timeout: 15_000 });
      expect(await page.evaluate(() => window.cardhouse.playing())).toBe(true);
      await page.keyboard.press(' ');
      expect(await page.evaluate(() => window.cardhouse.playing())).toBe(false);
      await page.keyboard.press('End');
      await waitForFrame(page, 599);
      await page.keyboard.press('Home');
      await waitForFrame(page, 0);
      // A click in a plot goes to its time.
      await page.locator('[data-plot="energy"] .plot-area').click({ position: { x: 200, y: 40 } });
      await page.waitForFunction(() => window.cardhouse.frame() > 100, undefined, { polling: 50 });
      await page.evaluate(() => window.cardhouse.seek(5));
      await waitForFrame(page, 300);
      await page.mouse.move(5, 5);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'recording')).toBe('');
    });
  });

  it('of a later version is read as far as it is known', async () => {
    await withPage({ world: joints(), later: true }, {}, async ({ page }) => {
      await page.waitForFunction(() => window.cardhouse.steps() > 0);
      await page.evaluate(() => window.cardhouse.seek(2));
      await waitForFrame(page, 120);
      await page.evaluate(() => window.cardhouse.select(1));
      for (const key of ['1', '2', '3', '4']) await page.keyboard.press(key);
      await expect.poll(() => page.locator('.joints tbody tr:visible').count()).toBeGreaterThan(0);
      await expect.poll(() => page.locator('#certificate').innerText()).toMatch(/certified/);
    });
    await withPage({ world: cardHouse(3), later: true, mode: 'live' }, {}, async ({ page }) => {
      await page.waitForFunction(() => window.cardhouse.steps() > 100, undefined, { polling: 50 });
      await page.evaluate(() => window.cardhouse.select(1));
      await expect.poll(() => page.locator('.contacts tbody tr:visible').count()).toBeGreaterThan(0);
    });
  });

  it('lists the contacts of a picked body, and draws contacts', async () => {
    await withPage({ world: cardHouse(4) }, {}, async ({ page }) => {
      await page.evaluate(() => window.cardhouse.seek(2));
      await waitForFrame(page, 120);
      // The top card is in front of nothing else.
      const body = await page.evaluate(() => window.cardhouse.bodies().length - 1);
      const at = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), body))!;
      expect(await page.evaluate(({ x, y }) => window.cardhouse.bodyAt(x, y), at)).toBe(body);
      await page.mouse.click(at.x, at.y);
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(body);
      const rows = page.locator('.contacts tbody tr:visible');
      await expect.poll(() => rows.count()).toBe(2);
      expect(await rows.first().innerText()).toMatch(/card_\d+\s+(stick|slip)/);
      expect(await page.evaluate(() => window.cardhouse.stats().contacts)).toBe(0);
      for (const mark of ['points', 'normals', 'impulses', 'cones']) await page.locator(`[data-mark="${mark}"]`).check();
      await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(10);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'contacts')).toBe('');
      await page.keyboard.press('Escape');
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(-1);
      for (const colour of ['island', 'speed', 'penetration']) await page.locator('#body-colour').selectOption(colour);
      await page.locator('#contact-colour').selectOption('residual');
      await page.locator('[data-mark="cones"]').uncheck();
      await page.waitForTimeout(400);
      expect(await differenceFromReference(page, 'contacts-residual')).toBe('');
    });
  });

  it('is compared with pictures that would show a missing part', async () => {
    if (process.env.UPDATE_REFERENCES === '1') return;
    for (const part of ['bodies', 'contacts', 'ground'] as const) {
      await withPage({ world: cardHouse(4) }, {}, async ({ page }) => {
        await page.evaluate(() => window.cardhouse.seek(2));
        await waitForFrame(page, 120);
        await page.evaluate(() => window.cardhouse.select(window.cardhouse.bodies().length - 1));
        for (const mark of ['points', 'normals', 'impulses', 'cones']) await page.locator(`[data-mark="${mark}"]`).check();
        await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(10);
        await page.waitForTimeout(300);
        expect(await differenceFromReference(page, 'contacts')).toBe('');
        await page.evaluate((p) => window.cardhouse.hide(p), part);
        expect(await differenceFromReference(page, 'contacts'), `without ${part}`).toMatch(/differ/);
      });
    }
  });

  it('shows joints, and lists those of a picked body with how far they are off', async () => {
    await withPage({ world: joints() }, {}, async ({ page }) => {
      expect(await page.evaluate(() => window.cardhouse.stats().joints)).toBe(7);
      const arm = await page.evaluate(() => window.cardhouse.bodies().indexOf('hinge_arm'));
      await page.evaluate((b) => window.cardhouse.select(b), arm);
      const rows = page.locator('.joints tbody tr:visible');
      await expect.poll(() => rows.count()).toBe(1);
      expect(await rows.first().innerText()).toMatch(/hinge_joint\s+hinge\s+hinge_base\s+3\S*e-9\s+2\S*e-9\s+0\.2 rad/);
      await page.keyboard.press('.');
      await waitForFrame(page, 1);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'joints')).toBe('');
      await page.evaluate(() => window.cardhouse.select(1));
      await expect.poll(() => rows.count()).toBe(2);
      expect(await rows.last().innerText()).toMatch(/to_the_world\s+ball\s+world\s+0\.05/);
      await page.locator('#joints').uncheck();
      expect(await page.evaluate(() => window.cardhouse.stats().joints)).toBe(0);
    });
  });

  it('shows a body with nodes where they are, and a picked one with its contacts', async () => {
    await withPage({ world: chain(60) }, {}, async ({ page }) => {
      await page.evaluate(() => window.cardhouse.seek(0.5));
      await waitForFrame(page, 30);
      const at = (await page.evaluate(() => window.cardhouse.nodeOnScreen(2, 20)))!;
      await page.mouse.click(at.x, at.y);
      expect(await page.evaluate(() => [window.cardhouse.selected(), window.cardhouse.selectedNode()])).toEqual([2, 20]);
      const [x, y, z] = (await page.evaluate(() => window.cardhouse.nodePosition(2, 20)))!;
      expect(await page.locator('.facts .kind').innerText()).toBe('network of 60 nodes');
      const place = (await page.locator('.facts .node').innerText()).match(/^20 at (\S+), (\S+), (\S+) m$/)!.slice(1).map(Number);
      [x, y, z].forEach((v, i) => expect(place[i]).toBeCloseTo(v, 3));
      expect(await page.locator('.facts .spin').isVisible()).toBe(false);
      await expect.poll(() => page.locator('.contact-count').innerText()).toBe('1 contact of the node');
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'network')).toBe('');
      // As a whole, from the list; then a body without nodes.
      await page.locator('#body').selectOption({ label: 'chain' });
      expect(await page.evaluate(() => window.cardhouse.selectedNode())).toBe(-1);
      await expect.poll(() => page.locator('.contact-count').innerText()).toBe('60 contacts');
      expect(await page.locator('.facts .node').isVisible()).toBe(false);
      await page.locator('#body').selectOption({ label: 'box' });
      await expect.poll(() => page.locator('.facts .spin').isVisible()).toBe(true);
      expect(await page.locator('.facts .kind').isVisible()).toBe(false);
    });
  });

  it('tells of a picked node on a phone too', async () => {
    await withPage({ world: chain(60) }, { width: 390, height: 844 }, async ({ page }) => {
      await page.keyboard.press('.');
      await waitForFrame(page, 1);
      // Small on that screen, but one of them is hit at its centre.
      const at = (await page.evaluate(() => window.cardhouse.nodeOnScreen(2, 31)))!;
      await page.mouse.click(at.x, at.y);
      expect(await page.evaluate(() => window.cardhouse.selectedNode())).toBe(31);
      await expect.poll(() => page.locator('.contact-count').innerText()).toBe('1 contact of the node');
      expect((await page.locator('.table-scroll').boundingBox())!.height).toBeGreaterThan(60);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await picture(page, 'network-phone');
    });
  });

  it('of 30,000 nodes takes few draw calls and few triangles for each', async () => {
    await withPage({ world: chain(30_000), frames: 4 }, { width: 1000, height: 640 }, async ({ page }) => {
      await page.waitForFunction(() => window.cardhouse.stats().pictures > 1, undefined, { polling: 200, timeout: 60_000 });
      const { calls, triangles } = await page.evaluate(() => window.cardhouse.stats());
      expect(calls).toBeLessThan(12);
      expect(triangles).toBeLessThan(2e6);
      const at = (await page.evaluate(() => window.cardhouse.nodeOnScreen(2, 12_345)))!;
      await page.mouse.click(at.x, at.y);
      await expect.poll(() => page.locator('.facts .node').innerText(), { timeout: 30_000 }).toMatch(/^12345 at /);
    });
  });

  it('follows a body', async () => {
    await withPage({ world: pile(27) }, {}, async ({ page }) => {
      await page.evaluate(() => window.cardhouse.seek(0.1));
      await page.evaluate(() => window.cardhouse.select(14));
      await page.locator('#follow').check();
      expect(await page.evaluate(() => window.cardhouse.following())).toBe(true);
      await page.waitForTimeout(300);
      const place = (b: number) => page.evaluate((n) => [window.cardhouse.bodyPosition(n)![2], window.cardhouse.bodyOnScreen(n)!.y] as const, b);
      const [z, y] = await place(14);
      const [otherZ, otherY] = await place(1);
      await page.evaluate(() => window.cardhouse.seek(0.6));
      await waitForFrame(page, 36);
      await page.waitForTimeout(200);
      const [zAfter, yAfter] = await place(14);
      const [otherZAfter, otherYAfter] = await place(1);
      expect(Math.abs(zAfter - z), 'it moves').toBeGreaterThan(0.005);
      expect(yAfter, 'but not in the picture').toBeCloseTo(y, 1);
      expect(Math.abs(otherYAfter - otherY), 'where others do').toBeGreaterThan(1);
      expect(Math.abs(otherZAfter - otherZ)).toBeLessThan(0.02);
      await page.keyboard.press('l');
      expect(await page.evaluate(() => window.cardhouse.following())).toBe(false);
    });
  });

  it('shows at once that a step is not certified, and why', async () => {
    await withPage({ world: cardHouse(3) }, { dark: true }, async ({ page }) => {
      await expect.poll(() => page.evaluate(() => window.cardhouse.uncertified())).toBe(5);
      expect(await page.locator('.banner').isVisible()).toBe(false);
      await page.keyboard.press('u');
      await waitForFrame(page, 102);
      const banner = page.locator('.banner');
      await expect.poll(() => banner.isVisible()).toBe(true);
      expect(await banner.innerText()).toMatch(/Step 1700 is not certified/);
      expect(await banner.innerText()).toMatch(/iteration limit/);
      expect(await banner.innerText()).toMatch(/subspace angle/);
      expect(await page.locator('#certificate').innerText()).toMatch(/not certified/);
      await page.waitForTimeout(400);
      expect(await differenceFromReference(page, 'uncertified-dark')).toBe('');
      await page.keyboard.press('.');
      await expect.poll(() => banner.isVisible()).toBe(false);
    });
  });

  it('measures between two picks', async () => {
    await withPage({ world: shapes() }, {}, async ({ page }) => {
      await page.keyboard.press('m');
      for (const body of [1, 2]) {
        const at = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), body))!;
        await page.mouse.click(at.x, at.y);
      }
      await expect.poll(() => page.locator('.measure-label').innerText()).toMatch(/^0\.\d+ m/);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'shapes', { onlyView: true })).toBe('');
    });
  });

  it('measures to the ground, and along with what moves', async () => {
    const world = pile(8);
    await withPage({ world }, {}, async ({ page }) => {
      const top = await page.evaluate(() => {
        const seen = (b: number) => window.cardhouse.bodyAt(window.cardhouse.bodyOnScreen(b)!.x, window.cardhouse.bodyOnScreen(b)!.y) === b;
        return window.cardhouse.bodies().findIndex((_, b) => b > 0 && seen(b));
      });
      const at = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), top))!;
      const view = (await page.locator('.view').boundingBox())!;
      await page.keyboard.press('m');
      await page.mouse.click(at.x, at.y);
      await page.mouse.click(view.x + 0.12 * view.width, view.y + 0.8 * view.height); // nothing but ground
      const height = async () => Math.abs(parseFloat((/Δz (\S+?)[,)]/.exec(await page.locator('.measure-label').innerText()))![1]!));
      await expect.poll(() => page.locator('.measure-label').isVisible()).toBe(true);
      const before = await height();
      const z = (await page.evaluate((b) => window.cardhouse.bodyPosition(b), top))![2];
      await page.evaluate(() => window.cardhouse.seek(0.7));
      await waitForFrame(page, 42);
      const risen = (await page.evaluate((b) => window.cardhouse.bodyPosition(b), top))![2] - z;
      expect(Math.abs(risen)).toBeGreaterThan(1e-3);
      await expect.poll(async () => (await height()) - before).toBeCloseTo(risen, 3);
    });
  });

  it('saves plots as CSV, SVG and PNG', async () => {
    await withPage({ world: cardHouse(2) }, {}, async ({ page }) => {
      await expect.poll(() => page.evaluate(() => window.cardhouse.steps())).toBe(9983);
      const save = async (kind: string) => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-export="energy-${kind}"]`).click()]);
        expect(download.suggestedFilename()).toBe(`card_house-energy.${kind}`);
        return readFileSync(await download.path());
      };
      const csv = (await save('csv')).toString().trim().split('\n');
      expect(csv[0]).toBe('time (s),kinetic (J),potential (J),total (J),dissipated (J)');
      expect(csv).toHaveLength(9984);
      const last = csv[9983]!.split(',').map(Number);
      expect(last[0]).toBe(9.983);
      expect(last[1]! + last[2]!).toBeCloseTo(last[3]!, 12);
      expect((await save('svg')).toString()).toMatch(/^<svg [\s\S]*Energy \(J\)[\s\S]*<\/svg>/);
      expect((await save('png')).subarray(1, 4).toString()).toBe('PNG');
    });
  });

  it('of a planar scene is looked at from the side, orthographically', async () => {
    await withPage({ world: arch() }, {}, async ({ page }) => {
      expect(await page.locator('#projection').getAttribute('aria-pressed')).toBe('true');
      const [left, right] = await page.evaluate(() => [window.cardhouse.bodyOnScreen(1)!, window.cardhouse.bodyOnScreen(15)!] as const);
      expect(Math.abs(left.y - right.y)).toBeLessThan(1);
      expect(right.x).toBeGreaterThan(left.x + 200);
      await page.waitForTimeout(400);
      expect(await differenceFromReference(page, 'planar')).toBe('');
    });
  });

  it('of 10,000 frames opens and scrubs without loading them all', async () => {
    await withPage({ world: cardHouse(4), frames: 10_000 }, {}, async ({ page }, server) => {
      for (const at of [9000, 4000, 7321]) {
        await page.locator('#scrub').evaluate((slider: HTMLInputElement, value) => {
          slider.value = String(value);
          slider.dispatchEvent(new Event('input'));
        }, at);
        await waitForFrame(page, at);
      }
      const asked = server.received.filter((r) => r.type === 'get_frames').reduce((n, r) => n + r.count, 0);
      expect(asked).toBeLessThan(4000);
    });
  });

  it('of 1,000 boxes with contacts takes few draw calls', async () => {
    await withPage({ world: pile(1000), frames: 600 }, { width: 1000, height: 640 }, async ({ page }) => {
      await page.keyboard.press('1');
      await page.keyboard.press('3');
      await page.evaluate(() => window.cardhouse.seek(0.5));
      await waitForFrame(page, 30);
      await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBe(4000);
      expect(await page.evaluate(() => window.cardhouse.stats().calls)).toBeLessThan(20);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'pile')).toBe('');
    });
  });
});

describe('the page', () => {
  it('fits a phone', async () => {
    await withPage({ world: cardHouse(4) }, { width: 390, height: 844 }, async ({ page }) => {
      await page.waitForTimeout(600);
      expect(await differenceFromReference(page, 'phone')).toBe('');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    });
  });

  it('shows two runs side by side with both residuals in one plot', async () => {
    await withPage({ world: cardHouse(3), runs: 2 }, {}, async ({ page }) => {
      await page.evaluate(() => window.cardhouse.seek(3));
      await waitForFrame(page, 180);
      const [left, right] = await page.evaluate(() => [window.cardhouse.bodyOnScreen(1, 0)!, window.cardhouse.bodyOnScreen(1, 1)!] as const);
      expect(right.x - left.x).toBeGreaterThan(200);
      expect(right.y).toBeCloseTo(left.y, 3);
      await expect.poll(() => page.locator('[data-plot="residual"] .legend-item').count()).toBe(2);
      await page.waitForTimeout(600);
      expect(await differenceFromReference(page, 'compare')).toBe('');
    });
  });

  it('tells of each of two runs what is its own', async () => {
    await withPage({ world: cardHouse(3), runs: 2 }, {}, async ({ page }) => {
      await page.waitForFunction(() => window.cardhouse.uncertified() === 10, undefined, { polling: 50 });
      await page.keyboard.press('u');
      await expect.poll(() => page.locator('.banner:visible').count()).toBe(2);
      const texts = await page.locator('.banner:visible').allInnerTexts();
      expect(texts[0]).toMatch(/staggered-projections: step 1700/);
      expect(texts[1]).toMatch(/projected-gauss-seidel: step 1700/);
      expect(await page.locator('#uncertified').innerText()).toMatch(/^5 \+ 5 not certified/);
      const speed = async () => parseFloat(await page.locator('.facts .speed').innerText());
      const click = async (run: number) => {
        const at = (await page.evaluate((r) => window.cardhouse.bodyOnScreen(15, r), run))!;
        await page.mouse.click(at.x, at.y);
      };
      await click(0);
      const [left, name] = [await speed(), await page.locator('.inspected-run').innerText()];
      expect(name).toBe('staggered-projections');
      await click(1);
      await expect.poll(() => page.locator('.inspected-run').innerText()).toBe('projected-gauss-seidel');
      expect(await speed()).toBeCloseTo(2 * left, 3);
      await page.keyboard.press('Escape');
      await page.keyboard.press('m');
      await click(1);
      await click(1);
      const label = (await page.locator('.measure-label').boundingBox())!;
      const view = (await page.locator('.view').boundingBox())!;
      expect(label.x).toBeGreaterThan(view.x + view.width / 2);
      await picture(page, 'compare-banners');
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-export="energy-svg"]').click()]);
      const svg = readFileSync(await download.path(), 'utf8');
      writeFileSync(`${outputFolder}compare-energy.svg`, svg);
      for (const [, x, text] of svg.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="start">([^<]*)</g)) expect(Number(x) + 6.5 * text!.length, text).toBeLessThan(720);
    });
  });

  it('changes between light and dark, and shows the keys', async () => {
    await withPage({ world: cardHouse(2) }, {}, async ({ page }) => {
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      expect(await theme()).toBe('light');
      await page.locator('#theme').click();
      expect(await theme()).toBe('dark');
      await page.keyboard.press('?');
      expect(await page.locator('dialog.help').isVisible()).toBe(true);
      await page.waitForTimeout(300);
      expect(await differenceFromReference(page, 'help')).toBe('');
      await page.keyboard.press('Escape');
      expect(await page.locator('dialog.help').isVisible()).toBe(false);
    });
  });

  it('can be used by keyboard alone', async () => {
    await withPage({ world: cardHouse(2) }, {}, async ({ page }) => {
      const before = (await page.evaluate(() => window.cardhouse.bodyOnScreen(3)))!;
      await page.locator('.view canvas').focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('+');
      await page.waitForTimeout(300);
      const after = (await page.evaluate(() => window.cardhouse.bodyOnScreen(3)))!;
      expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeGreaterThan(3);
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(1);
      // Every control is reached and named.
      const unnamed = await page.evaluate(() =>
        [...document.querySelectorAll('button, select, input')]
          .filter((e) => !(e.getAttribute('aria-label') || e.textContent?.trim() || e.closest('label')?.textContent?.trim()))
          .map((e) => e.outerHTML),
      );
      expect(unnamed).toEqual([]);
    });
  });

  it('resumes after the server restarts', async () => {
    const first = await startMock({ world: cardHouse(3) });
    const { page, problems } = await openPage(browser, first.address, { restarts: true });
    await page.evaluate(() => window.cardhouse.seek(4));
    await waitForFrame(page, 240);
    await first.close();
    await expect.poll(() => page.locator('.status').innerText()).toMatch(/reconnecting/);
    const second = await startMock({ world: cardHouse(3), port: first.port });
    await expect.poll(() => page.locator('.status').innerText(), { timeout: 15_000 }).toBe('connected');
    // The same time of the new session, and frames that only it can have sent.
    await waitForFrame(page, 240);
    await page.evaluate(() => window.cardhouse.seek(8));
    await waitForFrame(page, 480);
    expect(second.received.some((r) => r.type === 'get_frames')).toBe(true);
    expect(problems).toEqual([]);
    await page.context().close();
    await second.close();
  });
});

describe('a live run', () => {
  it('is paused, stepped, changed, reset and shot at', async () => {
    await withPage({ world: cardHouse(3), mode: 'live' }, {}, async ({ page }, mock) => {
      const last = (type: string) => mock.received.filter((r) => r.type === type).pop();
      await page.waitForFunction(() => window.cardhouse.time() > 0.3, undefined, { polling: 50 });
      await page.keyboard.press(' ');
      await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
      const paused = await page.evaluate(() => window.cardhouse.time());
      await page.keyboard.press('.');
      await page.waitForFunction((t) => window.cardhouse.time() > t, paused, { polling: 50 });
      expect(last('control')).toMatchObject({ action: 'step' });
      await page.locator('#solver-0').selectOption('projected-gauss-seidel');
      await expect.poll(() => last('set')).toMatchObject({ solver: 'projected-gauss-seidel' });
      await page.locator('#tolerance').fill('1e-6');
      await page.locator('#tolerance').press('Enter');
      await expect.poll(() => last('set')).toMatchObject({ tolerance: 1e-6 });
      await page.locator('#step-size').fill('2');
      await page.locator('#step-size').press('Tab');
      await expect.poll(() => last('set')).toMatchObject({ step: 0.002 });
      await page.locator('#gravity-z').fill('-1.62');
      await page.locator('#gravity-z').press('Enter');
      await expect.poll(() => last('set')).toMatchObject({ gravity: [0, 0, -1.62] });
      await page.locator('#mu').fill('0.3');
      await page.locator('#mu').press('Enter');
      await expect.poll(() => last('set')).toMatchObject({ mu: 0.3 });
      await page.locator('#own-mu').check();
      await expect.poll(() => last('set')).toMatchObject({ mu: null });
      await page.locator('#speed').selectOption('0.25');
      await expect.poll(() => last('set')).toMatchObject({ speed: 0.25 });
      const bodies = await page.evaluate(() => window.cardhouse.bodies().length);
      await page.locator('#shoot').click();
      await expect.poll(() => page.evaluate(() => window.cardhouse.bodies().length)).toBe(bodies + 1);
      await page.locator('#reset').click();
      await expect.poll(() => last('control')).toMatchObject({ action: 'reset' });
      await page.waitForTimeout(500);
      expect((await picture(page, 'live')).drawn).toBeGreaterThan(0.1);
    });
  });

  it('lets a body be pulled with Shift', async () => {
    await withPage({ world: cardHouse(3), mode: 'live' }, {}, async ({ page }, mock) => {
      const body = await page.evaluate(() => window.cardhouse.bodies().length - 1);
      const at = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), body))!;
      const before = (await page.evaluate((b) => window.cardhouse.bodyPosition(b), body))!;
      await page.keyboard.down('Shift');
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.mouse.move(at.x + 60, at.y - 50, { steps: 4 });
      await page.waitForFunction(
        ({ b, z }) => window.cardhouse.bodyPosition(b)![2] > z + 0.01,
        { b: body, z: before[2] },
        { polling: 30, timeout: 15_000 },
      );
      await picture(page, 'pull');
      await page.mouse.up();
      await page.keyboard.up('Shift');
      await expect.poll(() => mock.received.some((r) => r.type === 'release')).toBe(true);
    });
  });
});

describe('a live run of a body with nodes', () => {
  it('is pulled by the node that was touched, or that is selected', async () => {
    await withPage({ world: chain(60), mode: 'live' }, {}, async ({ page }, mock) => {
      const drags = () => mock.received.filter((r) => r.type === 'drag');
      await page.keyboard.press(' ');
      await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
      const height = () => page.evaluate(() => window.cardhouse.nodePosition(2, 20)![2]);
      // Frames that were on their way when the run paused are still drawn.
      await expect
        .poll(async () => {
          const now = await height();
          await page.waitForTimeout(300);
          return (await height()) - now;
        }, { timeout: 15_000 })
        .toBe(0);
      const [at, before] = await page.evaluate(() => [window.cardhouse.nodeOnScreen(2, 20)!, window.cardhouse.nodePosition(2, 20)!] as const);
      await page.keyboard.down('Shift');
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await expect.poll(() => drags().length).toBeGreaterThan(0);
      expect(drags()[0]).toMatchObject({ body: 2, node: 20, point: [0, 0, 0] });
      drags()[0]!.target.forEach((v, i) => expect(v).toBeCloseTo(before[i]!, 6));
      await page.keyboard.press(' ');
      await page.mouse.move(at.x, at.y - 60, { steps: 4 });
      await page.waitForFunction((z) => window.cardhouse.nodePosition(2, 20)![2] > z + 0.02, before[2], { polling: 30, timeout: 15_000 });
      expect((await page.evaluate(() => window.cardhouse.nodePosition(2, 22)))![2]).toBeCloseTo(before[2], 6);
      await picture(page, 'pull-node');
      await page.mouse.up();
      await page.keyboard.up('Shift');
      await expect.poll(() => mock.received.some((r) => r.type === 'release')).toBe(true);
      const pulledByHand = drags().length;
      await page.evaluate(() => window.cardhouse.select(2));
      await page.locator('.view canvas').focus();
      await page.keyboard.down('Shift');
      await page.keyboard.down('ArrowUp');
      await expect.poll(() => drags().length).toBeGreaterThan(pulledByHand);
      await page.keyboard.up('ArrowUp');
      await page.keyboard.up('Shift');
      expect(drags().at(-1)).toMatchObject({ body: 2, node: expect.any(Number) as number });
      expect(await page.locator('.message').isVisible(), 'nothing is refused').toBe(false);
    });
  });
});

describe('a live run, touched otherwise', () => {
  it('lets the selected body be pulled by keys', async () => {
    await withPage({ world: cardHouse(3), mode: 'live' }, {}, async ({ page }, mock) => {
      const body = await page.evaluate(() => window.cardhouse.bodies().length - 1);
      await page.evaluate((b) => window.cardhouse.select(b), body);
      const before = (await page.evaluate((b) => window.cardhouse.bodyPosition(b), body))!;
      await page.locator('.view canvas').focus();
      await page.keyboard.down('Shift');
      await page.keyboard.down('ArrowUp');
      await page.waitForFunction(({ b, z }) => window.cardhouse.bodyPosition(b)![2] > z + 0.01, { b: body, z: before[2] }, { polling: 30 });
      expect(mock.received.filter((r) => r.type === 'release')).toHaveLength(0);
      await page.keyboard.up('ArrowUp');
      await page.keyboard.up('Shift');
      await expect.poll(() => mock.received.some((r) => r.type === 'release')).toBe(true);
      expect(mock.received.find((r) => r.type === 'drag')).toMatchObject({ body });
    });
  });

  it('lets a finger select and pull', async () => {
    await withPage({ world: cardHouse(3), mode: 'live' }, { width: 390, height: 844, touch: true }, async ({ page }, mock) => {
      const body = await page.evaluate(() => window.cardhouse.bodies().length - 1);
      const at = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), body))!;
      await page.touchscreen.tap(at.x, at.y);
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(body);
      // A finger has no Shift: the button stands for it.
      await page.locator('#drag-tool').tap();
      await page.evaluate(() => window.scrollTo(0, 0));
      const from = (await page.evaluate((b) => window.cardhouse.bodyOnScreen(b), body))!;
      const session = await page.context().newCDPSession(page);
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: from.x, y }] });
      const before = (await page.evaluate((b) => window.cardhouse.bodyPosition(b), body))!;
      await touch('touchStart', from.y);
      for (let i = 1; i <= 5; ++i) await touch('touchMove', from.y - 12 * i);
      await page.waitForFunction(({ b, z }) => window.cardhouse.bodyPosition(b)![2] > z + 0.01, { b: body, z: before[2] }, { polling: 30 });
      await touch('touchEnd', from.y);
      await expect.poll(() => mock.received.some((r) => r.type === 'release')).toBe(true);
    });
  });

  it('of a planar scene is shot at from the left, in its plane', async () => {
    await withPage({ world: arch(), mode: 'live' }, {}, async ({ page }, mock) => {
      const key = (await page.evaluate(() => window.cardhouse.bodyOnScreen(8)))!;
      const height = (await page.evaluate(() => window.cardhouse.bodyPosition(8)))![2];
      await page.mouse.move(key.x, key.y);
      await page.keyboard.press('b');
      await expect.poll(() => mock.received.find((r) => r.type === 'shoot')).toBeTruthy();
      const shot = mock.received.find((r) => r.type === 'shoot') as { position: number[]; velocity: number[] };
      expect(shot.position[0]).toBeLessThan(-1.12);
      expect(shot.position[1]).toBe(0);
      expect(shot.position[2]).toBeCloseTo(height, 2);
      expect(shot.velocity[0]).toBeGreaterThan(0);
      expect(shot.velocity.slice(1)).toEqual([0, 0]);
    });
  });
});

describe('a report', () => {
  it('shows what its address asks for, and says when it is drawn', async () => {
    const path = `${outputFolder}report.html`;
    writeFileSync(path, mockReport(cardHouse(4), 600));
    const { page, problems } = await openPage(browser, `file://${path}#time=2.01&bare=1&contacts=1&theme=dark&new=thing`);
    const drawn = () => page.waitForFunction(() => document.documentElement.dataset.ready === '1', undefined, { polling: 30 });
    await drawn();
    expect(await page.title()).toMatch(/ – ready$/);
    expect(await frame(page)).toBe(121);
    expect(await page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(10);
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    expect(await page.locator('header').isVisible()).toBe(false);
    expect((await page.locator('.view canvas').boundingBox())!.width).toBe(1280);
    await page.evaluate(() => {
      delete document.documentElement.dataset.ready;
      location.hash = 'time=5&bare=1&contacts=0';
    });
    await drawn();
    expect(await frame(page)).toBe(300);
    expect(await page.evaluate(() => window.cardhouse.stats().contacts)).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('opens from file://, plays and plots', async () => {
    const path = `${outputFolder}report.html`;
    writeFileSync(path, mockReport(cardHouse(4), 600));
    const { page, problems } = await openPage(browser, `file://${path}`);
    expect(await page.evaluate(() => window.cardhouse.mode())).toBe('report');
    expect(await page.evaluate(() => window.cardhouse.steps())).toBe(9983);
    await expect.poll(() => page.locator('[data-plot="coordinate"] .reading').first().innerText()).toMatch(/^\d/);
    await page.keyboard.press('End');
    await waitForFrame(page, 599);
    await page.evaluate(() => window.cardhouse.show({ time: 3, contacts: ['points', 'impulses'], bare: true }));
    expect(await frame(page)).toBe(180);
    expect(await differenceFromReference(page, 'report-bare')).toBe('');
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
