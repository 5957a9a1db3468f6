// `npm run bench`: what the page costs, in headless Chromium, which draws in software. Prints, judges nothing.
import { launch } from '../tests/browser/browser';
import { program } from '../tests/browser/program';
import { measureDrags, type DragTimes } from './drag';

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const browser = await launch();
if (program) {
  const drags = await measureDrags(browser, Number(process.env.REPEATS ?? 7));
  console.log('From a drag to the moved picture, live card house of 4 levels (ms after the pointer event):');
  for (const part of ['handled', 'sent', 'arrived', 'shown', 'presented'] as (keyof DragTimes)[]) {
    const all = drags.map((d) => d[part]);
    console.log(`  ${part.padEnd(10)} median ${median(all).toFixed(1).padStart(6)}   ${all.map((v) => v.toFixed(0)).join(' ')}`);
  }
} else console.log('CARDHOUSE_PROGRAM is not set: no drags.');
await browser.close();
