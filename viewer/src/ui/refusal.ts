import { element } from './dom';

/** Why a value was refused, in words beside its field. It stays until a later value is accepted. */
export class Refusal {
  readonly root: HTMLElement;
  /** a later value was sent, and there is no answer yet */
  private waiting = false;

  constructor(id: string) {
    this.root = element('p', { class: 'refusal', role: 'alert', id: `${id}-refusal`, hidden: '' });
  }

  /** Whoever comes to the field is told. */
  describe(input: HTMLElement): void {
    input.setAttribute('aria-describedby', this.root.id);
  }

  /** Returns whether it can be seen: panels may be closed. */
  show(reason: string): boolean {
    this.waiting = false;
    this.root.textContent = reason;
    this.root.hidden = false;
    return this.root.checkVisibility();
  }

  sent(): void {
    this.waiting = true;
  }

  /** The program told what holds: had it refused what was sent, it would have said so before. */
  settled(): void {
    if (this.waiting) this.clear();
  }

  clear(): void {
    this.waiting = false;
    this.root.hidden = true;
    this.root.textContent = '';
  }
}
