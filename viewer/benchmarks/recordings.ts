// What a picture of a large pile costs, and how long a long recording takes to open. The data are made up: only the page counts.
import type { Browser } from 'playwright-core';
import { openPage } from '../tests/browser/browser';
import { startMock } from '../tests/mock/server';
import { cardHouse, pile } from '../tests/mock/worlds';

export interface PictureCost {
  contacts: number;
  calls: number;
  triangles: number;
  /** ms of the main thread's processor time per picture, with everything that it does */
  processor: number;
  /** ms by the clock in which a picture is made */
  median: number;
  p95: number;
}

/** 1,000 boxes with their contacts, played. */
export async function measurePictures(browser: Browser): Promise<PictureCost> {
  const server = await startMock({ world: pile(1000), frames: 600 });
  const { page } = await openPage(browser, server.address, { width: 1000, height: 640 });
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  await page.waitForTimeout(1500);
  await page.keyboard.press(' ');
  // The first pictures compile shaders.
  await page.waitForFunction(() => window.cardhouse.frame() > 5, undefined, { polling: 100, timeout: 60_000 });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => 1000 * (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration')!.value;
  const before = await busy();
  await page.evaluate(() => window.cardhouse.resetStats());
  await page.waitForFunction(() => window.cardhouse.stats().pictures >= 30, undefined, { polling: 500, timeout: 90_000 });
  const stats = await page.evaluate(() => window.cardhouse.stats());
  const processor = ((await busy()) - before) / stats.pictures;
  await page.context().close();
  await server.close();
  return { ...stats, processor };
}

/** ms until the first picture of a recording of 10,000 frames is there, in a browser that runs already. */
export async function measureOpening(browser: Browser, repeats: number): Promise<number[]> {
  const server = await startMock({ world: cardHouse(4), frames: 10_000 });
  const results: number[] = [];
  for (let i = 0; i < repeats; ++i) {
    const begin = Date.now();
    const { page } = await openPage(browser, server.address);
    results.push(Date.now() - begin);
    await page.context().close();
  }
  await server.close();
  return results;
}
