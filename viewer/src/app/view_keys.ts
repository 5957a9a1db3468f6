import type { Stage } from '../scene3d/stage';
import type { KeyBinding } from '../ui/keys';
import type { Pulling } from './pulling';
import type { Session } from './session';

const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const ways: Record<string, [number, number]> = { a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1] };
const zoomFactor = 1.15;

/** Keys that move the camera, and those that pull the selected body of a live run. */
export function viewKeys(session: Session, stage: Stage, pulling: Pulling): KeyBinding[] {
  document.addEventListener('keyup', (event) => {
    // A pull by keys ends with the key; one by the pointer has the camera's controls switched off.
    if (event.key.startsWith('Arrow') && stage.rig.controls.enabled) pulling.end();
  });
  const arrow = (event: KeyboardEvent) => {
    const [x, y] = arrows[event.key]!;
    if (event.shiftKey && session.live && session.selected >= 0) pulling.startByKey([x, y]);
    else stage.rig.turn(0.1 * x, 0.1 * y, 1);
  };
  return [
    { keys: Object.keys(arrows), label: '← → ↑ ↓', text: 'turn the view', action: arrow },
    { keys: ['w', 'W', 'a', 'A', 's', 'S', 'd', 'D'], label: 'W A S D', text: 'move the view up, left, down, right', action: (e) => stage.rig.pan(...ways[e.key.toLowerCase()]!) },
    { keys: ['+', '=', '-'], label: '+ −', text: 'zoom', action: (e) => stage.rig.turn(0, 0, e.key === '-' ? 1 / zoomFactor : zoomFactor) },
    { keys: [], label: 'Shift ← → ↑ ↓', text: 'pull the selected body', live: true, action: () => undefined },
  ];
}
