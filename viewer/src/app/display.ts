import { contactMarks } from '../scene3d/contacts_layer';
import type { Stage } from '../scene3d/stage';
import type { DisplayPanel } from '../ui/display_panel';
import { showLegend } from '../ui/legend';
import type { Session } from './session';

/** Brings views, panel and legend in line with the chosen display. */
export function applyDisplay(session: Session, stage: Stage, panel: DisplayPanel, legend: HTMLElement): void {
  const { display } = session;
  stage.seeThrough = display.seeThrough;
  for (const view of stage.views) {
    view.bodies.setColouring(display.bodyColouring);
    view.bodies.setEdges(display.edges);
    view.grid.mesh.visible = display.grid;
    view.joints.setVisible(display.joints);
    view.contacts.colouring = display.contactColouring;
    view.contacts.factor = display.impulseFactor;
    view.contacts.only = display.onlySelected ? session.selected : -1;
    for (const mark of contactMarks) view.contacts.setVisible(mark, display.marks[mark]);
  }
  askForContacts(session);
  panel.refresh();
  const view = stage.views[0];
  if (view) showLegend(legend, display, view.bodies);
  stage.dirty = true;
}

/** Contacts are most of a recording: they are fetched only when something of them is seen. */
export function askForContacts(session: Session): void {
  const { display } = session;
  const need =
    Object.values(display.marks).some(Boolean) ||
    session.selected >= 0 ||
    display.bodyColouring === 'island' ||
    display.bodyColouring === 'penetration';
  for (const run of session.runs) if (run.recorded) run.recorded.needContacts = need;
}
