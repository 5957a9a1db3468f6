// `npm run mock [house|pile|shapes|joints|arch|chain] [recording|live] [frames] [runs]`: the built page with made-up data, to look at.
import { startMock } from './server';
import { arch, cardHouse, chain, joints, pile, shapes, type World } from './worlds';

const [name = 'house', mode = 'recording', frames = '600', runs = '1'] = process.argv.slice(2);
const worlds: Record<string, () => World> = { house: () => cardHouse(4), pile: () => pile(1000), shapes, arch, joints, chain: () => chain(60) };
const world = (worlds[name] ?? worlds.house!)();
const mock = await startMock({ world, mode: mode === 'live' ? 'live' : 'recording', frames: Number(frames), runs: Number(runs), port: 8090 });
console.log(mock.address);
