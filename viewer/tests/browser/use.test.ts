// How the page behaves in the hands of somebody: it holds still, and needs no mouse.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MockOptions, startMock } from '../mock/server';
import { cardHouse } from '../mock/worlds';
import { launch, openPage, picture } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

interface Shift {
  value: number;
  what: string;
}

declare global {
  interface Window {
    layoutShifts: Shift[];
  }
}

/** Collects every jump of the layout, also those soon after an input, which browsers forgive. */
function watchLayout(): void {
  interface LayoutShift extends PerformanceEntry {
    value: number;
    sources: { node: Element | null }[];
  }
  window.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      const what = entry.sources.map(({ node }) => (node ? `${node.nodeName}.${node.className || node.id}` : '?')).join(' ');
      window.layoutShifts.push({ value: entry.value, what });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** What moved since the last call, empty when it is nothing to be seen: a digit more in a reading moves its neighbours by a hair. */
async function jumps(page: Page): Promise<string> {
  await page.waitForTimeout(300);
  const shifts = await page.evaluate(() => window.layoutShifts.splice(0));
  const sum = shifts.reduce((s, { value }) => s + value, 0);
  return sum < 0.005 ? '' : `${sum.toFixed(4)}: ${shifts.map((s) => `${s.value.toFixed(4)} ${s.what}`).join('; ')}`;
}

async function withPage(mock: MockOptions, options: Parameters<typeof openPage>[2], test: (page: Page) => Promise<void>): Promise<void> {
  const server = await startMock(mock);
  const { page, problems } = await openPage(browser, server.address, options);
  try {
    await test(page);
    expect(problems).toEqual([]);
  } finally {
    await page.context().close();
    await server.close();
  }
}

const watched = (width: number, height: number) => ({ width, height, before: (page: Page) => page.addInitScript(watchLayout) });

describe('the layout holds still', () => {
  for (const [screen, width, height] of [['a laptop', 1280, 800], ['a small window', 1024, 640], ['a phone', 390, 844], ['a phone on its side', 844, 390]] as const) {
    it(`while a recording is opened, played and looked into, on ${screen}`, async () => {
      await withPage({ world: cardHouse(3) }, watched(width, height), async (page) => {
        await page.waitForFunction(() => window.cardhouse.steps() > 0, undefined, { polling: 50 });
        expect.soft(await jumps(page), 'loading').toBe('');
        await page.keyboard.press(' ');
        await page.waitForFunction(() => window.cardhouse.frame() > 30, undefined, { polling: 50 });
        await page.keyboard.press(' ');
        expect.soft(await jumps(page), 'playing').toBe('');
        await page.keyboard.press('u');
        await expect.poll(() => page.locator('.banner').isVisible()).toBe(true);
        expect.soft(await jumps(page), 'the banner').toBe('');
        await page.keyboard.press('n');
        await page.keyboard.press('n');
        await expect.poll(() => page.locator('.inspector').isVisible()).toBe(true);
        expect.soft(await jumps(page), 'a selected body').toBe('');
        for (const mark of ['1', '2', '3', '4']) await page.keyboard.press(mark);
        expect.soft(await jumps(page), 'contacts and their legend').toBe('');
        await page.keyboard.press('?');
        await expect.poll(() => page.locator('dialog.help').isVisible()).toBe(true);
        expect.soft(await jumps(page), 'help').toBe('');
        await page.keyboard.press('Escape');
        await page.keyboard.press('t');
        expect.soft(await jumps(page), 'dark').toBe('');
      });
    });

    it(`while a live run goes on, on ${screen}`, async () => {
      await withPage({ world: cardHouse(3), mode: 'live' }, watched(width, height), async (page) => {
        await page.waitForFunction(() => window.cardhouse.time() > 0.5, undefined, { polling: 50 });
        expect.soft(await jumps(page), 'loading').toBe('');
        await page.waitForFunction(() => window.cardhouse.time() > 2, undefined, { polling: 50 });
        expect.soft(await jumps(page), 'running').toBe('');
        await page.keyboard.press(' ');
        await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
        expect.soft(await jumps(page), 'paused').toBe('');
        await page.keyboard.press('.');
        expect.soft(await jumps(page), 'a step').toBe('');
      });
    });

    it(`lists a body's contacts in rows that can be read, and nothing beyond the edge, on ${screen}`, async () => {
      await withPage({ world: cardHouse(3) }, { width, height }, async (page) => {
        await page.waitForFunction(() => window.cardhouse.uncertified() > 0, undefined, { polling: 50 });
        await page.keyboard.press('u');
        await page.keyboard.press('n');
        await page.keyboard.press('n');
        await expect.poll(() => page.locator('.contacts tbody tr:visible').count()).toBeGreaterThan(0);
        expect((await page.locator('.table-scroll').boundingBox())!.height).toBeGreaterThan(60);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        const tools = (await page.locator('.header-tools').boundingBox())!;
        expect(tools.x + tools.width).toBeLessThanOrEqual(width);
        await picture(page, `use-${width}`);
      });
    });
  }

  it('by a measure that notices a jump', async () => {
    await withPage({ world: cardHouse(2) }, watched(1280, 800), async (page) => {
      await jumps(page);
      await page.evaluate(() => (document.querySelector('header')!.style.paddingTop = '60px'));
      expect(await jumps(page)).not.toBe('');
    });
  });
});

describe('the banner', () => {
  it('stays over its view when the window changes while time stands still', async () => {
    await withPage({ world: cardHouse(3) }, {}, async (page) => {
      await page.waitForFunction(() => window.cardhouse.uncertified() > 0, undefined, { polling: 50 });
      await page.keyboard.press('u');
      await expect.poll(() => page.locator('.banner').isVisible()).toBe(true);
      for (const [width, height] of [[900, 640], [1400, 800]] as const) {
        await page.setViewportSize({ width, height });
        await expect.poll(async () => {
          const banner = (await page.locator('.banner').boundingBox())!;
          const view = (await page.locator('.view').boundingBox())!;
          return Math.abs(banner.x + banner.width / 2 - view.x - view.width / 2) < 2 && banner.x >= view.x && banner.x + banner.width <= view.x + view.width;
        }, { message: `${width} wide` }).toBe(true);
      }
    });
  });

  it('gives the reason of the step that it names when a live run rests', async () => {
    // A frame has 16 or 17 steps: wherever the run rests, one of them is not certified.
    await withPage({ world: cardHouse(2), mode: 'live', uncertifiedEvery: 16 }, {}, async (page) => {
      for (let i = 0; i < 4; ++i) {
        await page.waitForTimeout(230);
        await page.keyboard.press(' ');
        await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
        const text = () => page.locator('.banner:visible').innerText();
        await expect.poll(text).toMatch(/The iteration limit was reached/);
        await expect.poll(text, { message: 'no reason of an older step' }).not.toMatch(/Step \d+: /);
        await page.keyboard.press(' ');
        await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(true);
      }
    });
  });
});

describe('a control that was used with the pointer', () => {
  const playing = (page: Page) => page.evaluate(() => window.cardhouse.playing());

  it('leaves Space to playing and pausing', async () => {
    await withPage({ world: cardHouse(2) }, {}, async (page) => {
      const uses: [string, () => Promise<unknown>][] = [
        ['a button', () => page.locator('#fit').click()],
        ['a toggle', () => page.locator('#projection').click()],
        ['a checkbox', () => page.locator('#edges').click()],
        ['a summary', () => page.locator('.controls summary').last().click()],
        ['the time', () => page.locator('#scrub').click()],
        ['a list', async () => {
          await page.locator('#body-colour').click();
          await page.locator('#body-colour').selectOption('speed');
        }],
      ];
      for (const [what, use] of uses) {
        const before = await playing(page);
        await use();
        await page.keyboard.press(' ');
        await expect.poll(() => playing(page), { message: what }).toBe(!before);
      }
    });
  });

  it('so does a field that was left with Enter', async () => {
    await withPage({ world: cardHouse(2), mode: 'live' }, {}, async (page) => {
      await page.locator('#tolerance').click();
      await page.locator('#tolerance').fill('1e-6');
      await page.keyboard.press('Enter');
      await page.keyboard.press(' ');
      await expect.poll(() => playing(page)).toBe(false);
      await expect.poll(() => page.locator('#tolerance').inputValue()).toBe('0.000001');
    });
  });
});

describe('a field of a live run', () => {
  it('shows what holds, not what was refused', async () => {
    await withPage({ world: cardHouse(2), mode: 'live' }, {}, async (page) => {
      await expect.poll(() => page.locator('#tolerance').inputValue()).toBe('1e-8');
      for (const refused of ['5', 'much']) {
        await page.locator('#tolerance').fill(refused);
        await page.keyboard.press('Tab');
        await expect.poll(() => page.locator('#tolerance').inputValue(), { message: refused }).toBe('1e-8');
      }
      await page.locator('#step-size').fill('7');
      await page.keyboard.press('Escape');
      expect(await page.locator('#step-size').inputValue()).toBe('1');
      await page.locator('#shot-size').fill('0.25');
      await page.keyboard.press('Enter');
      expect(await page.locator('#shot-size').inputValue()).toBe('0.25');
    });
  });

  it('has the reason beside it when its value was refused, until one is accepted', async () => {
    await withPage({ world: cardHouse(2), mode: 'live' }, {}, async (page) => {
      await expect.poll(() => page.locator('#tolerance').inputValue()).toBe('1e-8');
      const reason = page.locator('#tolerance-refusal');
      const enter = async (field: string, value: string) => {
        await page.locator(field).fill(value);
        await page.keyboard.press('Enter');
      };
      expect(await reason.isVisible()).toBe(false);
      await enter('#tolerance', '5');
      await expect.poll(() => reason.innerText()).toBe('tolerance = 5: must be in (0, 1)');
      expect(await reason.getAttribute('role')).toBe('alert');
      expect(await page.locator('#tolerance').getAttribute('aria-describedby')).toBe('tolerance-refusal');
      const field = (await page.locator('#tolerance').boundingBox())!;
      const box = (await reason.boundingBox())!;
      expect(box.y - (field.y + field.height), 'right below its field').toBeLessThan(10);
      expect(await page.locator('.message').isVisible(), 'once is enough').toBe(false);
      await page.waitForTimeout(600);
      expect(await reason.isVisible(), 'the state that comes four times a second takes nothing back').toBe(true);
      await enter('#tolerance', 'much');
      await expect.poll(() => reason.innerText()).toBe('“much”: must be a number');
      await enter('#gravity-z', '1e308');
      await expect.poll(() => page.locator('#gravity-refusal').innerText()).toMatch(/gravity\[2\] = 1e\+308 m\/s²: must be at most/);
      await expect.poll(() => page.locator('#gravity-z').inputValue()).toBe('-9.81');
      await picture(page, 'refused');
      await enter('#tolerance', '1e-6');
      await expect.poll(() => reason.isVisible()).toBe(false);
      expect(await page.locator('#gravity-refusal').isVisible(), 'that is another field').toBe(true);
      await enter('#gravity-z', '-1.62');
      await expect.poll(() => page.locator('#gravity-refusal').isVisible()).toBe(false);
    });
  });

  it('that has no place for a reason, or is hidden, leaves it to the message over the view', async () => {
    await withPage({ world: cardHouse(2), mode: 'live' }, {}, async (page) => {
      await expect.poll(() => page.locator('#tolerance').inputValue()).toBe('1e-8');
      await page.locator('#speed').selectOption('0.1');
      await expect.poll(() => page.locator('.message').innerText()).toMatch(/^speed = 0.1/);
      await page.evaluate(() => {
        document.querySelector('#live-panel')!.removeAttribute('open');
        const field = document.querySelector<HTMLInputElement>('#tolerance')!;
        field.value = '5';
        field.dispatchEvent(new Event('change'));
      });
      await expect.poll(() => page.locator('.message').innerText()).toMatch(/^tolerance = 5/);
    });
  });

  it('cannot be changed while the program is away, and the page says so', async () => {
    const server = await startMock({ world: cardHouse(2), mode: 'live' });
    const { page } = await openPage(browser, server.address, { restarts: true });
    await server.close();
    await expect.poll(() => page.locator('#tolerance').isDisabled()).toBe(true);
    expect(await page.locator('#ratio').innerText()).toBe('not connected');
    await page.keyboard.press('r');
    await expect.poll(() => page.locator('.message').innerText()).toMatch(/Not connected/);
    const again = await startMock({ world: cardHouse(2), mode: 'live', port: server.port });
    await expect.poll(() => page.locator('#tolerance').isEnabled()).toBe(true);
    await page.context().close();
    await again.close();
  });
});

describe('the keyboard alone', () => {
  /** Tabs until the element has the focus, as somebody without a mouse does. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let i = 0; i < 120; ++i) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
    }
    throw new Error(`${selector} is not reached by the Tab key`);
  }

  /** Whether the focused element looks focused. */
  const focusIsSeen = (page: Page) =>
    page.evaluate(() => {
      const style = getComputedStyle(document.activeElement!);
      return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
    });

  it('loads, plays, steps, selects a body, shows its contacts and the help', async () => {
    await withPage({ world: cardHouse(3) }, {}, async (page) => {
      await page.keyboard.press(' ');
      await page.waitForFunction(() => window.cardhouse.frame() > 3, undefined, { polling: 50 });
      await page.keyboard.press(' ');
      expect(await page.evaluate(() => window.cardhouse.playing())).toBe(false);
      await page.waitForTimeout(100);
      const at = await page.evaluate(() => window.cardhouse.frame());
      await page.keyboard.press('.');
      await expect.poll(() => page.evaluate(() => window.cardhouse.frame())).toBe(at + 1);
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(1);
      await expect.poll(() => page.locator('.contacts tbody tr:visible').count()).toBeGreaterThan(0);
      await page.keyboard.press('1');
      await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(0);
      await page.keyboard.press('?');
      await expect.poll(() => page.locator('dialog.help').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog.help').isVisible()).toBe(false);
      expect(await page.evaluate(() => window.cardhouse.selected()), 'Escape closed the help and nothing else').toBe(1);
    });
  });

  it('turns, moves and zooms the view, and the help says how', async () => {
    await withPage({ world: cardHouse(2) }, {}, async (page) => {
      const place = async () => (await page.evaluate(() => window.cardhouse.bodyOnScreen(3)))!;
      const start = await place();
      await page.keyboard.press('d');
      await expect.poll(async () => (await place()).x).toBeLessThan(start.x - 20);
      await page.keyboard.press('w');
      await expect.poll(async () => (await place()).y).toBeGreaterThan(start.y + 20);
      await page.keyboard.press('a');
      await page.keyboard.press('s');
      await expect.poll(async () => Math.hypot((await place()).x - start.x, (await place()).y - start.y)).toBeLessThan(1);
      await page.keyboard.press('ArrowLeft');
      await expect.poll(async () => Math.abs((await place()).x - start.x)).toBeGreaterThan(1);
      await page.keyboard.press('?');
      const help = await page.locator('dialog.help').innerText();
      for (const text of [/←\s*→\s*↑\s*↓\s+turn the view/, /W\s*A\s*S\s*D\s+move the view/, /\+\s*−\s+zoom/, /Shift\s*←\s*→\s*↑\s*↓\s+pull the selected body/]) expect(help).toMatch(text);
      await picture(page, 'help-keys');
    });
  });

  it('measures between centres, and Escape ends that before it selects nothing', async () => {
    await withPage({ world: cardHouse(2) }, {}, async (page) => {
      await page.keyboard.press('c');
      await expect.poll(() => page.locator('.message').innerText()).toMatch(/Select a body/);
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      await page.keyboard.press('c');
      await page.keyboard.press('n');
      await page.keyboard.press('c');
      const [a, b] = await page.evaluate(() => [window.cardhouse.bodyPosition(1)!, window.cardhouse.bodyPosition(2)!] as const);
      const distance = Math.hypot(...a.map((v, i) => v - b[i]!));
      await expect.poll(async () => parseFloat(await page.locator('.measure-label').innerText())).toBeCloseTo(distance, 5);
      await page.keyboard.press('Escape');
      expect(await page.locator('#measure').getAttribute('aria-pressed')).toBe('false');
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(2);
      await page.keyboard.press('Escape');
      expect(await page.evaluate(() => window.cardhouse.selected())).toBe(-1);
    });
  });

  it('reaches the controls with Tab, and shows where it is', async () => {
    await withPage({ world: cardHouse(3) }, {}, async (page) => {
      await tabTo(page, '.view canvas');
      expect(await focusIsSeen(page), 'view').toBe(true);
      await tabTo(page, '#play');
      expect(await focusIsSeen(page), 'play').toBe(true);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(true);
      // Space on the focused button is one press, not two.
      await page.keyboard.press(' ');
      await expect.poll(() => page.evaluate(() => window.cardhouse.playing())).toBe(false);
      await tabTo(page, '#scrub');
      const at = await page.evaluate(() => window.cardhouse.frame());
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => page.evaluate(() => window.cardhouse.frame())).toBe(at + 1);
      await tabTo(page, '[data-mark="impulses"]');
      expect(await focusIsSeen(page), 'checkbox').toBe(true);
      await page.keyboard.press(' ');
      await expect.poll(() => page.evaluate(() => window.cardhouse.stats().contacts)).toBeGreaterThan(0);
      expect(await page.evaluate(() => window.cardhouse.playing()), 'Space on a checkbox does not play').toBe(false);
      await tabTo(page, '#body-colour');
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => page.locator('#body-colour').inputValue()).not.toBe('material');
      await tabTo(page, '[data-plot="energy"] button');
      expect(await focusIsSeen(page), 'plot').toBe(true);
    });
  });
});
