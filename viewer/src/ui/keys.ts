import { button, element } from './dom';

export interface KeyBinding {
  keys: string[];
  /** how the help names the key, where it is not the key itself */
  label?: string;
  text: string;
  live?: boolean;
  action: (event: KeyboardEvent) => void;
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement;
}

/** Keys that a focused control wants for itself. */
function taken(target: EventTarget | null, key: string): boolean {
  if (typing(target)) return true;
  const activates = key === ' ' || key === 'Enter';
  if (target instanceof HTMLButtonElement || target instanceof HTMLElement && target.tagName === 'SUMMARY') return activates;
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return activates;
  const moves = key.startsWith('Arrow') || key === 'Home' || key === 'End';
  if (target instanceof HTMLElement && target.classList.contains('table-scroll')) return moves;
  if (target instanceof HTMLInputElement && target.type === 'range') return moves;
  return target instanceof HTMLSelectElement && (moves || activates || /^[a-z]$/i.test(key));
}

export function listenToKeys(bindings: KeyBinding[]): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || taken(event.target, event.key)) return;
    if (document.querySelector('dialog[open]') && event.key !== '?') return;
    const binding = bindings.find((b) => b.keys.includes(event.key));
    if (!binding) return;
    event.preventDefault();
    binding.action(event);
  });
}

/**
 * A control that was used with the pointer does not keep the keys: Space plays and pauses again. Who goes from one to the next
 * with Tab stays where he is.
 */
export function leaveAfterUse(): void {
  let byPointer = false;
  document.addEventListener('pointerdown', () => (byPointer = true), { capture: true });
  document.addEventListener('keydown', () => (byPointer = false), { capture: true });
  document.addEventListener('click', () => {
    const { activeElement: active } = document;
    const keeps = active instanceof HTMLSelectElement || typing(active);
    if (byPointer && active instanceof HTMLElement && active.matches('button, summary, input') && !keeps) active.blur();
  });
  document.addEventListener('change', ({ target }) => {
    if (byPointer && target instanceof HTMLSelectElement) target.blur();
  });
}

/** The list of keys, opened with '?'. */
export class KeyHelp {
  private readonly dialog: HTMLDialogElement;

  constructor(bindings: KeyBinding[]) {
    const rows = bindings.map((b) =>
      element('tr', {}, [
        element('td', {}, (b.label ?? b.keys[0] ?? '').split(' ').map((k) => element('kbd', {}, [k]))),
        element('td', {}, [b.text + (b.live ? ' (live)' : '')]),
      ]),
    );
    const pointer = [
      ['drag', 'turn the view; with the right button, move it; wheel: zoom'],
      ['click', 'select a body and list its contacts'],
      ['Shift drag', 'pull a body with a spring (live)'],
    ].map(([key, text]) => element('tr', {}, [element('td', {}, [element('kbd', {}, [key!])]), element('td', {}, [text!])]));
    this.dialog = element('dialog', { class: 'help', 'aria-label': 'Keyboard help' }, [
      element('h2', {}, ['Keys']),
      element('table', {}, [element('tbody', {}, rows)]),
      element('h2', {}, ['Pointer']),
      element('table', {}, [element('tbody', {}, pointer)]),
      button('Close', 'Close the help', () => this.dialog.close()),
    ]);
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
