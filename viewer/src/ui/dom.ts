type Child = Node | string;

/** Makes an element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  children: Child[] = [],
): HTMLElementTagNameMap[K] {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, value);
  result.append(...children);
  return result;
}

export function button(
  text: string,
  label: string,
  action: () => void,
  attributes: Record<string, string> = {},
): HTMLButtonElement {
  const result = element('button', { type: 'button', title: label, 'aria-label': label, ...attributes }, [text]);
  result.addEventListener('click', action);
  return result;
}

/** A pressed or unpressed button. */
export function setPressed(target: HTMLElement, pressed: boolean): void {
  target.setAttribute('aria-pressed', String(pressed));
}

export function select(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  action: (value: string) => void,
  attributes: Record<string, string> = {},
): HTMLSelectElement {
  const result = element('select', { 'aria-label': label, ...attributes });
  setOptions(result, options);
  result.addEventListener('change', () => action(result.value));
  return result;
}

export function setOptions(target: HTMLSelectElement, options: readonly (readonly [string, string])[]): void {
  const before = target.value;
  target.replaceChildren(...options.map(([value, text]) => element('option', { value }, [text])));
  if (options.some(([value]) => value === before)) target.value = before;
}

export function checkbox(
  text: string,
  checked: boolean,
  action: (checked: boolean) => void,
  attributes: Record<string, string> = {},
): { root: HTMLLabelElement; input: HTMLInputElement } {
  const input = element('input', { type: 'checkbox', ...attributes });
  input.checked = checked;
  input.addEventListener('change', () => action(input.checked));
  return { input, root: element('label', { class: 'check' }, [input, element('span', {}, [text])]) };
}

/** A row of a panel: a name and a control; `long`: one that needs the room of the column of names. */
export function row(text: string, control: Node, long = false): HTMLLabelElement {
  return element('label', { class: long ? 'row long' : 'row' }, [element('span', { class: 'row-name' }, [text]), control]);
}

/** Sets text only when it differs: a write that changes nothing still costs a layout. */
export function setText(target: Node, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
