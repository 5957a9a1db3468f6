import { decodeSeries, type Message } from './decode';

const sixBits = (() => {
  const table = new Uint8Array(128).fill(255);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < 64; ++i) table[digits.charCodeAt(i)] = i;
  return table;
})();

/** Base64 to bytes straight from the text: `atob` would make a string of the same megabytes in between. Skips white space. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(Math.floor((text.length * 3) / 4));
  let used = 0;
  let bits = 0;
  let have = 0;
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? sixBits[code]! : 255;
    if (value === 255) {
      if (code <= 32) continue;
      if (code === 61) break; // "="
      throw new Error(`not base64 at character ${i}`);
    }
    bits = ((bits << 6) | value) & 0xffffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      result[used++] = (bits >> have) & 255;
    }
  }
  return result.subarray(0, used);
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

export function reportElement(): HTMLElement | null {
  return document.getElementById('cardhouse-report');
}

/** The messages of the report that this page carries. */
export async function readReport(element: HTMLElement): Promise<Message[]> {
  const bytes = decodeBase64(element.textContent ?? '');
  element.textContent = ''; // megabytes that are not needed any more
  return decodeSeries(await gunzip(bytes));
}
