import { Color } from 'three';

export type ThemeName = 'light' | 'dark';

/** Colours of the 3-D view and of the plots; those of the page itself are in style.css. */
export interface Theme {
  background: string;
  ground: string;
  grid: string;
  edge: string;
  edgeOpacity: number;
  sky: string;
  bounce: string;
  skyIntensity: number;
  sunIntensity: number;
  fixed: string;
  accent: string;
  text: string;
  faint: string;
  plotBackground: string;
  cone: string;
  materials: string[];
  series: string[];
  threshold: string;
  joint: string;
}

export const themes: Record<ThemeName, Theme> = {
  light: {
    background: '#eef1f5',
    ground: '#dfe3ea',
    grid: '#7c8798',
    edge: '#1c2530',
    edgeOpacity: 0.38,
    sky: '#ffffff',
    bounce: '#b9bfca',
    skyIntensity: 1.75,
    sunIntensity: 1.9,
    fixed: '#c9bda9',
    accent: '#e8590c',
    text: '#1f2933',
    faint: '#d5dae2',
    plotBackground: '#ffffff',
    cone: '#3b6fb6',
    materials: ['#bcd2ee', '#e7c9a5', '#b9d3b0', '#dcb8b4', '#cfc3e3', '#b3d4d6', '#e4dba6', '#d3c6bd'],
    series: ['#2f6db5', '#c2571a', '#3c8d5a', '#8a4fa3', '#b03a57'],
    threshold: '#c92a2a',
    joint: '#7a3fa0',
  },
  dark: {
    background: '#14181e',
    ground: '#232a33',
    grid: '#8b98aa',
    edge: '#05080c',
    edgeOpacity: 0.6,
    sky: '#dfe8f5',
    bounce: '#39414d',
    skyIntensity: 1.35,
    sunIntensity: 1.8,
    fixed: '#6a6054',
    accent: '#ff922b',
    text: '#e3e8ee',
    faint: '#2f3843',
    plotBackground: '#1b2027',
    cone: '#74a9e6',
    materials: ['#8fb0d8', '#d6a873', '#8fbf85', '#cf8d86', '#a996d3', '#7fb9bd', '#cdbf6f', '#b39c8b'],
    series: ['#6ea8e8', '#f0975a', '#6cc590', '#c58fdd', '#ec7e98'],
    threshold: '#ff6b6b',
    joint: '#cf9bf0',
  },
};

/** Contact modes: open, stick, slip. The same hues in both themes, told apart also by those who see few colours. */
export const modeColours = ['#8a94a3', '#1c9e6b', '#e8830c'] as const;
export const modeNames = ['open', 'stick', 'slip'] as const;

const viridis = ['#443a83', '#31688e', '#21908d', '#35b779', '#8fd744', '#fde725'].map((c) => new Color(c));

/** A perceptually even ramp for t in [0, 1]. */
export function ramp(t: number, into: Color): Color {
  const x = Math.min(1, Math.max(0, Number.isNaN(t) ? 0 : t)) * (viridis.length - 1);
  const i = Math.min(viridis.length - 2, Math.floor(x));
  return into.copy(viridis[i]!).lerp(viridis[i + 1]!, x - i);
}

export function rampCss(): string {
  return `linear-gradient(90deg, ${viridis.map((c) => `#${c.getHexString()}`).join(', ')})`;
}

/** Where a positive number lies between two powers of ten, in [0, 1]. */
export function logPlace(value: number, low: number, high: number): number {
  if (!(value > 0)) return 0;
  return Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)));
}

export const residualRange: [number, number] = [1e-14, 1e-4];
export const penetrationRange: [number, number] = [1e-9, 1e-3];
