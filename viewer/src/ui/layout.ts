import { button, element } from './dom';

/** The parts of the page. Their places are the style sheet's business. */
export interface Layout {
  title: HTMLElement;
  subtitle: HTMLElement;
  badges: HTMLElement;
  status: HTMLElement;
  view: HTMLElement;
  viewLabels: HTMLElement;
  scaleLabel: HTMLElement;
  scaleBar: HTMLElement;
  banners: HTMLElement;
  measureLabel: HTMLElement;
  legend: HTMLElement;
  inspector: HTMLElement;
  controls: HTMLElement;
  plots: HTMLElement;
  timeline: HTMLElement;
  message: HTMLElement;
}

export interface LayoutActions {
  help: () => void;
  theme: () => void;
  resized: () => void;
}

const logo =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M4 28 11 16M18 28 11 16M14 28 21 16M28 28 21 16M9 15H23M11 14 16 4 21 14"/></svg>';

export function buildLayout(root: HTMLElement, actions: LayoutActions): Layout {
  const mark = element('span', { class: 'logo' });
  mark.innerHTML = logo;
  const title = element('h1', {}, ['cardhouse']);
  const subtitle = element('p', { class: 'subtitle' });
  const badges = element('div', { class: 'badges' });
  const status = element('span', { class: 'status', role: 'status', 'aria-live': 'polite' });
  const toggle = (side: 'controls' | 'plots', text: string) => {
    const result = button(text, `Show or hide the ${side}`, () => {
      const hidden = root.classList.toggle(`no-${side}`);
      result.setAttribute('aria-pressed', String(!hidden));
      actions.resized();
    }, { class: 'quiet', 'aria-pressed': 'true', 'data-toggle': side });
    return result;
  };
  const header = element('header', {}, [
    mark,
    element('div', { class: 'titles' }, [title, subtitle]),
    badges,
    status,
    element('div', { class: 'header-tools' }, [
      toggle('controls', 'Controls'),
      toggle('plots', 'Plots'),
      button('◐', 'Light or dark', actions.theme, { class: 'quiet', id: 'theme' }),
      button('?', 'Keyboard help', actions.help, { class: 'quiet', id: 'help' }),
    ]),
  ]);
  const viewLabels = element('div', { class: 'view-labels' });
  const scaleBar = element('span', { class: 'scale-bar' });
  const scaleLabel = element('span', { class: 'scale-text' });
  const banners = element('div', { class: 'banners' });
  const measureLabel = element('div', { class: 'measure-label', 'aria-live': 'polite', hidden: '' });
  const legend = element('div', { class: 'legend' });
  const inspector = element('section', { class: 'inspector', 'aria-label': 'Selected body', hidden: '' });
  const message = element('div', { class: 'message', role: 'status', hidden: '' });
  const view = element('div', { class: 'view' }, [
    viewLabels,
    element('div', { class: 'corner' }, [legend, element('div', { class: 'scale' }, [scaleBar, scaleLabel])]),
    measureLabel,
    banners,
    message,
    inspector,
  ]);
  const controls = element('aside', { class: 'controls', 'aria-label': 'Controls' });
  const plots = element('aside', { class: 'plots', 'aria-label': 'Plots' });
  const timeline = element('footer', { class: 'timeline', 'aria-label': 'Time' });
  // In the order of a phone's single column; wide windows place them by name.
  root.append(header, view, timeline, controls, plots);
  return {
    title, subtitle, badges, status, view, viewLabels, scaleLabel, scaleBar, banners, measureLabel, legend, inspector, controls,
    plots, timeline, message,
  };
}
