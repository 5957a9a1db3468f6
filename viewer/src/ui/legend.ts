import type { BodiesLayer } from '../scene3d/bodies_layer';
import { modeColours, modeNames, penetrationRange, rampCss, residualRange } from '../scene3d/palette';
import { numberText } from '../plots/axis';
import type { DisplaySettings } from './display_panel';
import { element } from './dom';

function scale(title: string, low: string, high: string): HTMLElement {
  const bar = element('span', { class: 'ramp' });
  bar.style.background = rampCss();
  return element('div', { class: 'legend-row' }, [`${title} ${low}`, bar, high]);
}

function swatches(entries: { name: string; colour: string }[]): HTMLElement {
  return element('div', { class: 'legend-row' }, entries.flatMap(({ name, colour }) => {
    const swatch = element('span', { class: 'swatch' });
    swatch.style.setProperty('--swatch', colour);
    return [element('span', { class: 'legend-item' }, [swatch, name])];
  }));
}

/** Explains the colours of bodies and contacts. */
export function showLegend(root: HTMLElement, settings: DisplaySettings, bodies: BodiesLayer): void {
  const rows: HTMLElement[] = [];
  if (settings.bodyColouring === 'speed') rows.push(scale('speed', '0', `${numberText(bodies.topSpeed, 2)} m/s`));
  if (settings.bodyColouring === 'penetration') {
    rows.push(scale('overlap', ...(penetrationRange.map((v) => `${numberText(v)} m`) as [string, string])));
  }
  if (settings.bodyColouring === 'material' && bodies.materials().length > 1) rows.push(swatches(bodies.materials().slice(0, 6)));
  if (Object.values(settings.marks).some(Boolean)) {
    if (settings.contactColouring === 'mode') {
      rows.push(swatches(modeNames.map((name, i) => ({ name, colour: modeColours[i]! }))));
    } else rows.push(scale('residual', ...(residualRange.map((v) => numberText(v)) as [string, string])));
  }
  root.replaceChildren(...rows);
}
