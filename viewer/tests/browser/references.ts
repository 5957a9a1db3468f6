// Pictures are compared with small stored ones: mean colours of 40 x 25 cells of the 3-D view, and of the whole page below it.
// Letters, thin lines and a renderer's roundings vanish in a mean; bodies, arrows or panels that are missing or elsewhere do not.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { outputFolder, readPng } from './browser';

const folder = fileURLToPath(new URL('../references/', import.meta.url));
const across = 40;
const down = 25;

/** Of two levels out of 255: what other fonts, drivers and smoothing of edges do to the mean of a cell. */
const sameInView = 6;
const sameOnPage = 20;
/** Part of the cells that may differ by more. */
const partInView = 0.02;
const partOnPage = 0.05;

/** RGB, row by row. */
type Thumbnail = Uint8Array;

function shrink(png: Buffer): Thumbnail {
  const { width, height, channels, pixels } = readPng(png);
  const result = new Uint8Array(across * down * 3);
  for (let cy = 0; cy < down; ++cy) {
    for (let cx = 0; cx < across; ++cx) {
      const [left, right] = [Math.floor((cx * width) / across), Math.floor(((cx + 1) * width) / across)];
      const [top, bottom] = [Math.floor((cy * height) / down), Math.floor(((cy + 1) * height) / down)];
      const sum = [0, 0, 0];
      for (let y = top; y < bottom; ++y) {
        for (let x = left; x < right; ++x) for (let c = 0; c < 3; ++c) sum[c]! += pixels[(y * width + x) * channels + c]!;
      }
      const n = Math.max(1, (right - left) * (bottom - top));
      for (let c = 0; c < 3; ++c) result[(cy * across + cx) * 3 + c] = Math.round(sum[c]! / n);
    }
  }
  return result;
}

function checksum(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; ++i) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A PNG that people can look at too. */
function writePng(path: string, width: number, height: number, rgb: Uint8Array): void {
  const rows = Buffer.alloc(height * (3 * width + 1));
  for (let y = 0; y < height; ++y) rows.set(rgb.subarray(3 * width * y, 3 * width * (y + 1)), y * (3 * width + 1) + 1);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const result = Buffer.alloc(body.length + 8);
    result.writeUInt32BE(data.length, 0);
    body.copy(result, 4);
    result.writeUInt32BE(checksum(body), body.length + 4);
    return result;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  writeFileSync(path, Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]));
}

function partThatDiffers(a: Thumbnail, b: Thumbnail, same: number): number {
  let different = 0;
  for (let i = 0; i < a.length; i += 3) {
    const most = Math.max(Math.abs(a[i]! - b[i]!), Math.abs(a[i + 1]! - b[i + 1]!), Math.abs(a[i + 2]! - b[i + 2]!));
    if (most > same) ++different;
  }
  return different / (a.length / 3);
}

/** The page as it is at rest: as a picture for people in the folder of outputs, and as two thumbnails. */
async function thumbnails(page: Page, name: string): Promise<[view: Thumbnail, whole: Thumbnail]> {
  await page.evaluate(() => window.cardhouse.show({}));
  const whole = await page.screenshot();
  writeFileSync(`${outputFolder}${name}.png`, whole);
  const box = (await page.locator('.view').boundingBox())!;
  const size = page.viewportSize()!;
  const clip = { x: box.x, y: box.y, width: Math.min(box.width, size.width), height: Math.min(box.height, size.height - box.y) };
  return [shrink(await page.screenshot({ clip })), shrink(whole)];
}

/**
 * How far the page is from its stored picture; empty when it is the same. `onlyView`: what is around the 3-D view differs from
 * run to run, such as times that were measured. With UPDATE_REFERENCES=1 it is stored anew.
 */
export async function differenceFromReference(page: Page, name: string, options: { onlyView?: boolean } = {}): Promise<string> {
  const [view, whole] = await thumbnails(page, name);
  const path = `${folder}${name}.png`;
  if (process.env.UPDATE_REFERENCES === '1') {
    mkdirSync(folder, { recursive: true });
    writePng(path, across, 2 * down, Uint8Array.from([...view, ...whole]));
    return '';
  }
  if (!existsSync(path)) return `there is no ${path}: 'npm run references' writes it; look at it`;
  const stored = readPng(readFileSync(path));
  const half = stored.pixels.length / 2;
  const inView = partThatDiffers(view, stored.pixels.subarray(0, half), sameInView);
  const onPage = options.onlyView ? 0 : partThatDiffers(whole, stored.pixels.subarray(half), sameOnPage);
  if (inView <= partInView && onPage <= partOnPage) return '';
  return `${name}: ${(100 * inView).toFixed(1)} % of the view and ${(100 * onPage).toFixed(1)} % of the page differ from the reference; see ${outputFolder}${name}.png`;
}
