import { element } from './dom';

/** Offers a file for download. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // Revoking at once may come before the browser has begun to read.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
