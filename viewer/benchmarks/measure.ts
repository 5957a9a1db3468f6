// `npm run bench [drag] [pictures] [opening]`: what the page costs, in headless Chromium, which draws in software. Prints, judges
// nothing. Drags need CARDHOUSE_PROGRAM, the path of a built `cardhouse`.
import { readFileSync } from 'node:fs';
import { launch } from '../tests/browser/browser';
import { program } from '../tests/browser/program';
import { measureDrags, type DragTimes } from './drag';
import { measureOpening, measurePictures } from './recordings';

const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const repeats = Number(process.env.REPEATS ?? 7);
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 1).join(' ');

const browser = await launch();
console.log(`load of the machine before: ${load()}`);
if (wanted('drag') && program) {
  const drags = await measureDrags(browser, repeats);
  console.log('From a drag to the moved picture, live card house of 4 levels (ms after the pointer event):');
  for (const part of ['handled', 'sent', 'answered', 'arrived', 'shown', 'presented'] as (keyof DragTimes)[]) {
    const all = drags.map((d) => d[part]);
    console.log(`  ${part.padEnd(10)} median ${median(all).toFixed(1).padStart(6)}   ${all.map((v) => v.toFixed(0)).join(' ')}`);
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
  const opened = await measureOpening(browser, repeats);
  console.log(`10,000 frames open in ${median(opened)} ms (median of ${opened.join(', ')})`);
}
console.log(`load of the machine after: ${load()}`);
await browser.close();
