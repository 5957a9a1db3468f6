import { contactMarks } from '../scene3d/contacts_layer';
import type { KeyBinding } from '../ui/keys';
import type { App } from './app';

/** Keys that hold anywhere on the page; the help lists them. */
export function keyMap(app: App): KeyBinding[] {
  const { transport, selection, session } = app;
  const mark = (i: number) => {
    const name = contactMarks[i]!;
    session.display.marks[name] = !session.display.marks[name];
    app.applyDisplay();
  };
  return [
    { keys: [' '], label: 'Space', text: 'play or pause', action: () => transport.playOrPause() },
    { keys: ['.'], text: 'one frame on; live: one step', action: () => transport.step(1) },
    { keys: [','], text: 'one frame back', action: () => transport.step(-1) },
    { keys: ['Home'], text: 'to the start', action: () => transport.toEnd('start') },
    { keys: ['End'], text: 'to the end', action: () => transport.toEnd('end') },
    { keys: ['u', 'U'], label: 'U', text: 'to the next step that is not certified', action: () => transport.toNextUncertified() },
    { keys: ['f', 'F'], label: 'F', text: 'fit everything into the view', action: () => app.stage.fit() },
    { keys: ['o', 'O'], label: 'O', text: 'perspective or orthographic', action: () => app.toggleProjection() },
    { keys: ['l', 'L'], label: 'L', text: 'follow the selected body', action: () => selection.follow(!session.following) },
    { keys: ['m', 'M'], label: 'M', text: 'measure between two picks', action: () => app.toggleMeasure() },
    { keys: ['c', 'C'], label: 'C', text: "measure from, then to, the selected body's centre", action: () => app.measureCentre() },
    { keys: ['1', '2', '3', '4'], label: '1 2 3 4', text: 'contact points, normals, impulses, friction cones', action: (e) => mark(Number(e.key) - 1) },
    { keys: ['n', 'N', 'p', 'P'], label: 'N P', text: 'select the next or previous body', action: (e) => selection.selectNext(e.key.toLowerCase() === 'n' ? 1 : -1) },
    { keys: ['r', 'R'], label: 'R', text: 'start again', live: true, action: () => transport.reset() },
    { keys: ['b', 'B'], label: 'B', text: 'shoot a block along the view', live: true, action: () => app.shoot() },
    { keys: ['Escape'], label: 'Esc', text: 'end measuring; select nothing', action: () => app.leave() },
    { keys: ['t', 'T'], label: 'T', text: 'light or dark', action: () => app.toggleTheme() },
  ];
}
