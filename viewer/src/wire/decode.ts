import type { Header } from './messages';

export type NumberArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

export interface WireArray {
  data: NumberArray;
  shape: number[];
}

export interface Message {
  header: Header;
  arrays: Map<string, WireArray>;
  /** size on the wire, for cache budgets */
  bytes: number;
}

interface ArrayDescription {
  type: string;
  shape: number[];
  offset: number;
}

const elementSize: Record<string, number> = { float64: 8, float32: 4, int64: 8, int32: 4, uint32: 4, uint8: 1 };

/** Steps, frames and contact rows stay far below 2^53, so int64 becomes float64: BigInt would be slow and in the way. */
function int64ToFloat64(buffer: ArrayBuffer, start: number, length: number): Float64Array {
  const view = new DataView(buffer, start, length * 8);
  const result = new Float64Array(length);
  for (let i = 0; i < length; ++i) {
    result[i] = view.getInt32(8 * i + 4, true) * 4294967296 + view.getUint32(8 * i, true);
  }
  return result;
}

function makeArray(buffer: ArrayBuffer, type: string, start: number, length: number): NumberArray {
  if (type === 'int64') return int64ToFloat64(buffer, start, length);
  const size = elementSize[type]!;
  // Views need aligned starts. Messages are aligned by design; a copy keeps a sloppy sender readable.
  const [base, at] = start % size === 0 ? [buffer, start] : [buffer.slice(start, start + length * size), 0];
  switch (type) {
    case 'float64':
      return new Float64Array(base, at, length);
    case 'float32':
      return new Float32Array(base, at, length);
    case 'int32':
      return new Int32Array(base, at, length);
    case 'uint32':
      return new Uint32Array(base, at, length);
    default:
      return new Uint8Array(base, at, length);
  }
}

/** Reads one message of the program. The arrays are views of `buffer`, not copies. */
export function decodeMessage(buffer: ArrayBuffer, start = 0, end = buffer.byteLength): Message {
  if (end - start < 4) throw new Error('message is shorter than its header length');
  const headerLength = new DataView(buffer, start, 4).getUint32(0, true);
  const base = start + 4 + headerLength;
  if (base > end) throw new Error('message ends within its header');
  const text = new TextDecoder().decode(new Uint8Array(buffer, start + 4, headerLength));
  const header = JSON.parse(text) as Header & { arrays?: Record<string, ArrayDescription> };
  const arrays = new Map<string, WireArray>();
  for (const [name, description] of Object.entries(header.arrays ?? {})) {
    const size = elementSize[description.type];
    if (size === undefined) continue; // from a later version: to be ignored
    const length = description.shape.reduce((a, b) => a * b, 1);
    const first = base + description.offset;
    if (first + length * size > end) throw new Error(`array ${name} goes beyond the end of the message`);
    arrays.set(name, { data: makeArray(buffer, description.type, first, length), shape: description.shape });
  }
  return { header, arrays, bytes: end - start };
}

/** Reads the series of messages of a report: length (uint32), 4 zero bytes, message, padding to a multiple of 8. */
export function decodeSeries(buffer: ArrayBuffer): Message[] {
  const messages: Message[] = [];
  const view = new DataView(buffer);
  let at = 0;
  while (at + 8 <= buffer.byteLength) {
    const length = view.getUint32(at, true);
    at += 8;
    if (at + length > buffer.byteLength) throw new Error('the report ends within a message');
    messages.push(decodeMessage(buffer, at, at + length));
    at += Math.ceil(length / 8) * 8;
  }
  return messages;
}
