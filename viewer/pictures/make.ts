// `CARDHOUSE_PROGRAM=… npm run pictures [-- card_house arch disks pile viewer compare]`: makes the pictures of the README and of docs/viewer.md anew, in docs/pictures.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launch, openPage } from '../tests/browser/browser';
import { program, run, view } from '../tests/browser/program';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'cardhouse-pictures-'));

function record(name: string, ...what: string[]): string {
  const out = join(work, name);
  run('run', ...what, '--out', out);
  return join(out, 'recording.h5');
}

function render(recording: string, name: string, ...options: string[]): void {
  run('render', recording, '--out', `${folder}${name}.png`, '--size', '1200x800', ...options);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.mouse.move(3, 3);
  await page.evaluate(() => window.cardhouse.show({}));
  writeFileSync(`${folder}${name}.png`, await page.screenshot());
  await page.context().close();
}

/** The page with a recording, a card of the house selected, its contacts drawn. */
async function viewer(browser: Browser, address: string, name: string, options: Parameters<typeof openPage>[2]): Promise<void> {
  const { page } = await openPage(browser, address, options);
  await page.waitForFunction(() => window.cardhouse.steps() > 0);
  await page.evaluate(() => window.cardhouse.show({ time: 0.65, contacts: ['points', 'impulses'] }));
  await page.evaluate(() => window.cardhouse.select(window.cardhouse.bodies().length - 1));
  await page.waitForTimeout(700);
  await shoot(page, name);
}

/** Two solvers on the same house. */
async function compare(browser: Browser): Promise<void> {
  const server = await view(0, 'card_house', 'levels=3', '--compare', 'staggered-projections,projected-gauss-seidel');
  const { page } = await openPage(browser, server.address, { height: 720 });
  await page.waitForFunction(() => window.cardhouse.time() > 1, undefined, { polling: 50 });
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  await page.keyboard.press(' ');
  await page.waitForTimeout(1500);
  await shoot(page, 'viewer-compare');
  await server.close();
}

if (!program) throw new Error('CARDHOUSE_PROGRAM is to be the path of a built cardhouse');
const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const house = wanted('card_house') || wanted('viewer') ? record('house', 'card_house', 'levels=4', '--duration', '1') : '';
if (wanted('card_house')) render(house, 'card_house');
if (wanted('arch')) render(record('arch', 'arch_hit', 'blocks=9', '--duration', '10'), 'arch');
if (wanted('disks')) render(record('disks', 'cannonball', 'base=10', '--duration', '1'), 'disks', '--contacts');
if (wanted('pile')) render(record('pile', 'box_pile', 'count=60', '--duration', '3'), 'pile', '--contacts');
const browser = await launch();
if (wanted('viewer')) {
  const server = await view(0, house);
  await viewer(browser, server.address, 'viewer', {});
  await viewer(browser, server.address, 'viewer-dark', { dark: true });
  await viewer(browser, server.address, 'viewer-phone', { width: 390, height: 844 });
  await server.close();
}
if (wanted('compare')) await compare(browser);
await browser.close();
rmSync(work, { recursive: true });
console.log(`written to ${folder}`);
