import type { Stage } from '../scene3d/stage';
import type { Pulling } from './pulling';
import type { Session } from './session';

const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** With the view focused: arrows turn it, plus and minus zoom; Shift and arrows pull the selected body of a live run. */
export function listenToViewKeys(session: Session, stage: Stage, pulling: Pulling): void {
  stage.canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey && session.live && session.selected >= 0) pulling.startByKey(arrow);
    else if (arrow) stage.rig.turn(0.1 * arrow[0], 0.1 * arrow[1], 1);
    else if (event.key === '+' || event.key === '=') stage.rig.turn(0, 0, 1.15);
    else if (event.key === '-') stage.rig.turn(0, 0, 1 / 1.15);
    else return;
    event.preventDefault();
  });
  document.addEventListener('keyup', (event) => {
    // A pull by keys ends with the key; one by the pointer has the camera's controls switched off.
    if (event.key.startsWith('Arrow') && stage.rig.controls.enabled) pulling.end();
  });
}
