import type { ThemeName } from '../scene3d/palette';

const key = 'cardhouse-theme';

/** Light or dark: what the system prefers, until the user says otherwise. */
export class ThemeChoice {
  private chosen: ThemeName | null = null;
  private readonly system = window.matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly changed: (theme: ThemeName) => void) {
    try {
      const stored = localStorage.getItem(key);
      if (stored === 'light' || stored === 'dark') this.chosen = stored;
    } catch {
      // No storage from file:// in some browsers: the choice then lasts as long as the page.
    }
    this.system.addEventListener('change', () => this.apply());
  }

  get name(): ThemeName {
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }

  set(theme: ThemeName): void {
    this.chosen = theme;
    this.apply();
  }

  toggle(): void {
    this.set(this.name === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem(key, this.name);
    } catch {
      // see above
    }
  }

  apply(): void {
    document.documentElement.dataset.theme = this.name;
    this.changed(this.name);
  }
}
