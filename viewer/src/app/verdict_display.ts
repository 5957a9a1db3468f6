import { numberText } from '../plots/axis';
import { Banner, verdictAt } from '../ui/certificate';
import { element, setText } from '../ui/dom';
import type { Stage } from '../scene3d/stage';
import type { Session } from './session';

/** ms that the banner of a live run stays, so that it can be read: one step passes in a blink */
const bannerStays = 4000;
/** pixels that the name of a view takes, where there are two */
const viewName = 26;

/** Badges and banner: whether what is shown is certified. */
export class VerdictDisplay {
  readonly badge = element('span', { class: 'badge absent', id: 'certificate' });
  readonly countBadge = element('button', {
    type: 'button', class: 'badge bad', id: 'uncertified', title: 'To the next step that is not certified (U)', hidden: '',
  });
  private readonly banner: Banner;
  private bannerShown = -Infinity;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    banner: HTMLElement,
  ) {
    this.banner = new Banner(banner);
  }

  show(time: number): void {
    let banner = false;
    let certified = true;
    let worst = NaN;
    for (const run of this.session.runs) {
      const index = run.shown?.index ?? 0;
      const after = index > run.frames.first ? run.frames.timeAt(index - 1) : time - 1e-9;
      const verdict = verdictAt(run, after, run.shown?.time ?? time);
      if (!verdict) continue;
      if (!(worst >= verdict.residual)) worst = verdict.residual;
      if (verdict.certified) continue;
      certified = false;
      if (banner) continue;
      banner = true;
      const many = this.session.runs.length > 1;
      const [left, top, width] = this.stage.viewport(run.number);
      this.banner.place(left, top + (many ? viewName : 0), width);
      this.banner.show(run, verdict, this.session.tolerance(), many);
    }
    this.keepOrHideBanner(banner);
    this.showBadges(certified, worst);
  }

  private keepOrHideBanner(shown: boolean): void {
    const { session } = this;
    const now = performance.now();
    if (shown) this.bannerShown = now;
    else if (!session.live || session.state?.paused || now - this.bannerShown > bannerStays) this.banner.hide();
  }

  private showBadges(certified: boolean, worst: number): void {
    // It keeps its place while there is no verdict: the badges beside it should not move.
    this.badge.classList.toggle('absent', Number.isNaN(worst));
    this.badge.classList.toggle('bad', !certified);
    this.badge.classList.toggle('good', certified);
    setText(this.badge, `${certified ? 'certified' : 'not certified'} · ${numberText(worst, 2)}`);
    const count = this.session.runs.reduce((n, r) => n + r.steps.uncertified.time.length, 0);
    this.countBadge.hidden = count === 0;
    if (count > 0) setText(this.countBadge, `${count} not certified ›`);
  }
}
