import { launch, openPage } from '../tests/browser/browser';
import { view } from '../tests/browser/program';
const browser = await launch();
const server = await view(0, 'card_house', 'levels=4', '--paused');
const { page } = await openPage(browser, server.address, {});
await page.waitForTimeout(2000);
const run = (label: string, setup: string) => page.evaluate(async ([label, setup]) => {
  const app = (window as any).app; const r = app.stage.renderer; const gl = r.getContext();
  new Function('app', 'r', setup!)(app, r);
  const px = new Uint8Array(4);
  const draw = () => { app.stage.shadowsWanted = true; app.stage.dirty = true; app.stage.render(performance.now()); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, px); };
  draw(); draw();
  const t: number[] = [];
  for (let i = 0; i < 25; ++i) { const a = performance.now(); draw(); t.push(performance.now() - a); }
  t.sort((a, b) => a - b);
  return `${label}: median ${t[7]!.toFixed(1)} min ${t[0]!.toFixed(1)}  size ${r.domElement.width}x${r.domElement.height}`;
}, [label, setup] as const);
const level = (res: number, si: number) => `app.stage.quality.next = () => (app.__l ??= {}, { resolution: ${res}, shadowInterval: ${si} });`;
console.log(await run('full', level(1, 0)));


const mat = 'for (const v of app.stage.views) v.scene.traverse(o=>{if(o.material)o.material.needsUpdate=true});';

for (let i = 0; i < 3; ++i) for (const type of [0, 1, 2]) {
  console.log(await run('type ' + type + ' 1.0', level(1, 1e9) + `r.shadowMap.type=${type};` + mat));
  console.log(await run('type ' + type + ' 0.6', level(.6, 1e9)));
}
await browser.close();
await server.close();
