// `npm run bench [drag] [pictures] [opening]`: what the page costs, in headless Chromium, which draws in software. Prints, judges
// nothing. REPEATS sets how often drags and openings are measured. Drags need CARDHOUSE_PROGRAM, the path of a built `cardhouse`.
import { readFileSync } from 'node:fs';
import { launch } from '../tests/browser/browser';
import { program } from '../tests/browser/program';
import { measureDrags, type DragTimes } from './drag';
import { measureOpening, measurePictures } from './recordings';

const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const repeats = Number(process.env.REPEATS ?? 0);
const quantile = (values: number[], part: number) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!;
const median = (values: number[]) => quantile(values, 0.5);
const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 1).join(' ');

const browser = await launch();
console.log(`load of the machine before: ${load()}`);
if (wanted('drag') && program) {
  const drags = await measureDrags(browser, repeats || 21);
  console.log('From a drag to the moved picture, live card house of 4 levels (ms after the pointer event):');
  for (const part of ['handled', 'sent', 'answered', 'arrived', 'shown', 'presented'] as (keyof DragTimes)[]) {
    const all = drags.map((d) => d[part]);
    const [middle, most, last] = [0.5, 0.9, 1].map((q) => quantile(all, q).toFixed(0).padStart(4));
    console.log(`  ${part.padEnd(10)} median ${middle}   p90 ${most}   max ${last}   of ${all.map((v) => v.toFixed(0)).join(' ')}`);
  }
}
if (wanted('pictures')) {
  const cost = await measurePictures(browser);
  console.log(
    `1,000 boxes, ${cost.contacts} contacts: main thread ${cost.processor.toFixed(2)} ms of processor time per picture; by the clock ` +
      `${cost.median.toFixed(2)} ms median, ${cost.p95.toFixed(2)} ms p95; ${cost.calls} draw calls, ${cost.triangles} triangles`,
  );
}
if (wanted('opening')) {
  const opened = await measureOpening(browser, repeats || 7);
  console.log(`10,000 frames open in ${median(opened)} ms (median of ${opened.join(', ')})`);
}
console.log(`load of the machine after: ${load()}`);
await browser.close();
