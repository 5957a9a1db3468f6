// From a drag to the moved picture, and where the time goes on the way.
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../tests/browser/browser';
import { view } from '../tests/browser/program';

/** ms after the pointer's event, on the page's clock */
export interface DragTimes {
  /** the page's handler has run */
  handled: number;
  /** the message is sent */
  sent: number;
  /** the first frame has arrived that was made after the program obeyed */
  answered: number;
  /** the first frame with the moved body has arrived */
  arrived: number;
  /** that frame is being drawn */
  shown: number;
  /** the browser asks for the next picture: this one is with the compositor */
  presented: number;
}

declare global {
  interface Window {
    dragWatch: { sent: number; number: number; arrivals: { at: number; step: number; drag: number }[] };
  }
}

/** Notes on the page's clock when drags go out and frames come in, without touching the page's own code. */
function watchSocket(): void {
  const watch: Window['dragWatch'] = (window.dragWatch = { sent: NaN, number: 0, arrivals: [] });
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(address: string | URL) {
      super(address);
      this.addEventListener('message', (event: MessageEvent<ArrayBuffer>) => {
        const at = performance.now();
        const length = new DataView(event.data).getUint32(0, true);
        const header = JSON.parse(new TextDecoder().decode(new Uint8Array(event.data, 4, length))) as {
          type: string;
          drag?: number;
          arrays: Record<string, { offset: number }>;
        };
        if (header.type !== 'frames') return;
        const { offset } = header.arrays['frames/step']!;
        watch.arrivals.push({ at, step: new DataView(event.data, 4 + length + offset, 8).getUint32(0, true), drag: header.drag ?? 0 });
      });
    }
    override send(data: string): void {
      super.send(data);
      if (!Number.isNaN(watch.sent) || !data.includes('"drag"')) return;
      watch.sent = performance.now();
      watch.number = (JSON.parse(data) as { number: number }).number;
    }
  };
}

/** A body that can be clicked at its centre. */
const clickableBody = (page: Page) =>
  page.evaluate(() => {
    for (let b = window.cardhouse.bodies().length - 1; b > 0; --b) {
      const at = window.cardhouse.bodyOnScreen(b);
      if (at && window.cardhouse.bodyAt(at.x, at.y) === b) return { body: b, ...at };
    }
    throw new Error('no body is visible');
  });

/** Waits in the page for the next pointer move, then for the picture in which the body has moved by `pixels`. */
const times = (page: Page, body: number, pixels: number) =>
  page.evaluate(
    ([body, pixels]) => {
      const start = window.cardhouse.bodyOnScreen(body)!;
      window.dragWatch.sent = NaN;
      window.dragWatch.arrivals.length = 0;
      return new Promise<DragTimes>((done) => {
        const begin = (event: PointerEvent) => {
          document.removeEventListener('pointermove', begin, true);
          const zero = event.timeStamp;
          const handled = performance.now() - zero;
          const look = () => {
            const now = window.cardhouse.bodyOnScreen(body)!;
            if (Math.hypot(now.x - start.x, now.y - start.y) < pixels) {
              requestAnimationFrame(look);
              return;
            }
            const shown = performance.now() - zero;
            const { sent, number, arrivals } = window.dragWatch;
            const answered = (arrivals.find((a) => a.drag >= number)?.at ?? NaN) - zero;
            const step = window.cardhouse.step();
            const arrived = (arrivals.find((a) => a.step === step)?.at ?? NaN) - zero;
            requestAnimationFrame(() => done({ handled, sent: sent - zero, answered, arrived, shown, presented: performance.now() - zero }));
          };
          requestAnimationFrame(look);
        };
        document.addEventListener('pointermove', begin, true);
      });
    },
    [body, pixels] as const,
  );

/** Drags a card of a live card house of four levels, again and again from its start. */
export async function measureDrags(browser: Browser, repeats: number): Promise<DragTimes[]> {
  const server = await view(0, 'card_house', 'levels=4');
  const { page } = await openPage(browser, server.address, { before: (p) => p.addInitScript(watchSocket) });
  const results: DragTimes[] = [];
  for (let i = 0; i < repeats; ++i) {
    await page.keyboard.press('r');
    await page.waitForTimeout(1500);
    const target = await clickableBody(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(target.x, target.y);
    await page.mouse.down();
    await page.waitForTimeout(300);
    const measured = times(page, target.body, 0.5);
    await page.waitForTimeout(100);
    await page.mouse.move(target.x + 40, target.y - 60);
    results.push(await measured);
    await page.mouse.up();
    await page.keyboard.up('Shift');
  }
  await page.context().close();
  await server.close();
  return results;
}
