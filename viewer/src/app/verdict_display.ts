import type { Run } from '../data/run';
import { numberText } from '../plots/axis';
import type { Stage } from '../scene3d/stage';
import { Banner, type StepVerdict, verdictAt } from '../ui/certificate';
import { element, setText } from '../ui/dom';
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
  /** one over each view, and when (ms) it last had something to say */
  private readonly banners: { banner: Banner; shown: number }[];

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly holder: HTMLElement,
  ) {
    this.banners = [this.makeBanner()];
  }

  show(time: number): void {
    let certified = true;
    let worst = NaN;
    for (const run of this.session.runs) {
      const index = run.shown?.index ?? 0;
      const after = index > run.frames.first ? run.frames.timeAt(index - 1) : time - 1e-9;
      const verdict = verdictAt(run, after, run.shown?.time ?? time);
      this.showBanner(run, verdict);
      if (!verdict) continue;
      if (!(worst >= verdict.residual)) worst = verdict.residual;
      if (!verdict.certified) certified = false;
    }
    for (const { banner } of this.banners.slice(this.session.runs.length)) banner.hide();
    this.showBadges(certified, worst);
  }

  private makeBanner(): { banner: Banner; shown: number } {
    const root = element('div', { class: 'banner', role: 'alert', hidden: '' });
    this.holder.append(root);
    return { banner: new Banner(root), shown: -Infinity };
  }

  private showBanner(run: Run, verdict: StepVerdict | null): void {
    const { session } = this;
    const own = (this.banners[run.number] ??= this.makeBanner());
    const many = session.runs.length > 1;
    const [left, top, width] = this.stage.viewport(run.number);
    own.banner.place(left, top + (many ? viewName : 0), width);
    const now = performance.now();
    if (verdict && !verdict.certified) {
      own.shown = now;
      own.banner.show(run, verdict, session.tolerance(), many);
    } else if (!session.live || session.state?.paused || now - own.shown > bannerStays) own.banner.hide();
  }

  private showBadges(certified: boolean, worst: number): void {
    // It keeps its place while there is no verdict: the badges beside it should not move.
    this.badge.classList.toggle('absent', Number.isNaN(worst));
    this.badge.classList.toggle('bad', !certified);
    this.badge.classList.toggle('good', certified);
    setText(this.badge, `${certified ? 'certified' : 'not certified'} · ${numberText(worst, 2)}`);
    const counts = this.session.runs.map((r) => r.steps.uncertified.time.length);
    this.countBadge.hidden = counts.every((n) => n === 0);
    if (!this.countBadge.hidden) setText(this.countBadge, `${counts.join(' + ')} not certified ›`);
  }
}
