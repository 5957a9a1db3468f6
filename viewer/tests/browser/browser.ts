// What the browser tests share: Chromium, pages that remember their console, pictures that are looked at.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { inflateSync } from 'node:zlib';
import type { TestInterface } from '../../src/test_interface';

declare global {
  interface Window {
    cardhouse: TestInterface;
  }
}

export const outputFolder = fileURLToPath(new URL('../output/', import.meta.url));
mkdirSync(outputFolder, { recursive: true });

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      // A page that is put in place of the program's own counts as one from elsewhere.
      ...(process.env.CARDHOUSE_PAGE ? ['--disable-features=LocalNetworkAccessChecks'] : []),
    ],
  });
}

export interface Watched {
  page: Page;
  /** errors and warnings of the page so far */
  problems: string[];
}

// The browser itself reports a refused connection; a restarted server makes that unavoidable and right.
const expectedWhileRestarting = /WebSocket connection to .* failed|ERR_CONNECTION_REFUSED/;
// Said by the software renderer about our reading of pixels, not by the page.
const fromTheRenderer = /GPU stall due to ReadPixels|GL Driver Message|Automatic fallback to software WebGL/;

export async function openPage(
  browser: Browser,
  address: string,
  options: { width?: number; height?: number; dark?: boolean; restarts?: boolean; touch?: boolean; before?: (page: Page) => Promise<void> } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
    acceptDownloads: true,
    hasTouch: options.touch ?? false,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || fromTheRenderer.test(message.text())) return;
    if (options.restarts && expectedWhileRestarting.test(message.text())) return;
    problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') problems.push(`request to ${hostname}`);
  });
  // While the page is worked on: the program's socket with the page of this folder instead of the one it was built with.
  if (process.env.CARDHOUSE_PAGE && address.startsWith('http')) {
    const body = readFileSync(process.env.CARDHOUSE_PAGE);
    await page.route((url) => url.pathname === '/', (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
  }
  await options.before?.(page);
  await page.goto(address);
  await page.waitForFunction(() => window.cardhouse?.ready(), undefined, { timeout: 20_000, polling: 20 }).catch(async (error: unknown) => {
    writeFileSync(`${outputFolder}not-ready.png`, await page.screenshot());
    throw new Error(`the page at ${address} shows nothing (see not-ready.png); it said: ${problems.join('; ') || 'nothing'}`, { cause: error });
  });
  return { page, problems };
}

/** Reads an 8-bit RGB or RGBA PNG, which is what screenshots are. */
export function readPng(png: Buffer): { width: number; height: number; channels: number; pixels: Uint8Array } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint8Array(height * stride);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)]!;
    for (let i = 0; i < stride; ++i) {
      const value = raw[y * (stride + 1) + 1 + i]!;
      const left = i >= channels ? pixels[y * stride + i - channels]! : 0;
      const up = y > 0 ? pixels[(y - 1) * stride + i]! : 0;
      const corner = y > 0 && i >= channels ? pixels[(y - 1) * stride + i - channels]! : 0;
      const p = left + up - corner;
      const nearest = Math.abs(p - left) <= Math.abs(p - up) && Math.abs(p - left) <= Math.abs(p - corner) ? left : Math.abs(p - up) <= Math.abs(p - corner) ? up : corner;
      const guess = [0, left, up, (left + up) >> 1, nearest][filter]!;
      pixels[y * stride + i] = (value + guess) & 255;
    }
  }
  return { width, height, channels, pixels };
}

/** How much is to be seen on a picture: the number of colours (coarsely) and the part that differs from the commonest. */
export function content(png: Buffer): { colours: number; drawn: number } {
  const { pixels, channels } = readPng(png);
  const counts = new Map<number, number>();
  let n = 0;
  for (let i = 0; i < pixels.length; i += channels) {
    const key = ((pixels[i]! >> 4) << 8) | ((pixels[i + 1]! >> 4) << 4) | (pixels[i + 2]! >> 4);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    ++n;
  }
  return { colours: counts.size, drawn: 1 - Math.max(...counts.values()) / n };
}

/** Takes a picture of the page for people to look at, and tells what is on its 3-D view. */
export async function picture(page: Page, name: string): Promise<{ colours: number; drawn: number }> {
  writeFileSync(`${outputFolder}${name}.png`, await page.screenshot());
  const box = (await page.locator('.view').boundingBox())!;
  const view = page.viewportSize()!;
  const clip = { x: box.x, y: box.y, width: Math.min(box.width, view.width), height: Math.min(box.height, view.height - box.y) };
  return content(await page.screenshot({ clip }));
}
