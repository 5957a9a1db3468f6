import type { Vector3 } from 'three';
import type { Stage } from '../scene3d/stage';
import type { DisplayPanel } from '../ui/display_panel';
import type { Inspector } from '../ui/inspector';
import type { CoordinateTracks } from './coordinate_tracks';
import { askForContacts } from './display';
import type { Session } from './session';

export interface SelectionParts {
  stage: Stage;
  panel: DisplayPanel;
  inspector: Inspector;
  tracks: CoordinateTracks;
  applyDisplay: () => void;
  say: (text: string) => void;
}

/** The selected body: marked in the views, listed with its contacts, plotted, followed by the camera. */
export class Selection {
  private followedAt: Vector3 | null = null;

  constructor(
    private readonly session: Session,
    private readonly parts: SelectionParts,
  ) {}

  /** `run`: in whose view it was picked; `node`: of a body that has them, -1: none of them alone */
  select(body: number, run = this.session.selectedRun, node = -1): void {
    const { session } = this;
    const { stage, panel, inspector, tracks } = this.parts;
    session.selected = body;
    session.selectedNode = node;
    session.selectedRun = session.runs[run] ? run : 0;
    stage.views.forEach((view) => view.bodies.select(body, node));
    panel.showSelected(body);
    askForContacts(session);
    inspector.showOf(session.runs, session.selectedRun, body, node);
    if (session.display.onlySelected) this.parts.applyDisplay();
    if (body >= 0) tracks.choose(body);
    this.followedAt = session.bodyCentre(body, session.selectedRun);
    if (body < 0) this.follow(false);
    stage.dirty = true;
    session.readingsStale = true;
  }

  selectNext(direction: 1 | -1): void {
    const n = this.session.scene?.bodies.length ?? 0;
    if (n > 0) this.select((Math.max(this.session.selected, direction > 0 ? -1 : 0) + direction + n) % n);
  }

  follow(on: boolean): void {
    const { session } = this;
    session.following = on && session.selected >= 0;
    if (on && session.selected < 0) this.parts.say('Select a body to follow: click it, or choose it in the list.');
    this.followedAt = session.following ? session.bodyCentre(session.selected, session.selectedRun) : null;
    this.parts.panel.showFollow(session.following);
  }

  /** Moves the camera as far as the followed body has moved. */
  updateCamera(): void {
    const { session } = this;
    if (!session.following) return;
    const at = session.bodyCentre(session.selected, session.selectedRun);
    if (!at) return;
    if (this.followedAt) this.parts.stage.rig.shift(at.clone().sub(this.followedAt));
    this.followedAt = at;
  }

  /** A new scene begins elsewhere. */
  forgetPlace(): void {
    this.followedAt = null;
  }
}
