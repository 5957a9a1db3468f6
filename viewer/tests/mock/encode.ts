// Writes messages of docs/wire-format.md, for the mock server and the tests of the decoder.
import { gzipSync } from 'node:zlib';

export type Numbers = Float64Array | Float32Array | BigInt64Array | Int32Array | Uint32Array | Uint8Array;
export type Arrays = Record<string, { data: Numbers; shape: number[] }>;

function typeName(data: Numbers): string {
  if (data instanceof Float64Array) return 'float64';
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof BigInt64Array) return 'int64';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof Uint32Array) return 'uint32';
  return 'uint8';
}

const padded = (n: number) => Math.ceil(n / 8) * 8;

export function encodeMessage(header: object, arrays: Arrays = {}): Buffer {
  const descriptions: Record<string, object> = {};
  let offset = 0;
  for (const [name, { data, shape }] of Object.entries(arrays)) {
    descriptions[name] = { type: typeName(data), shape, offset };
    offset = padded(offset + data.byteLength);
  }
  let text = Buffer.from(JSON.stringify({ ...header, arrays: descriptions }));
  const missing = padded(4 + text.length) - 4 - text.length;
  text = Buffer.concat([text, Buffer.alloc(missing, ' ')]);
  const result = Buffer.alloc(4 + text.length + offset);
  result.writeUInt32LE(text.length, 0);
  text.copy(result, 4);
  let at = 4 + text.length;
  for (const { data } of Object.values(arrays)) {
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(result, at);
    at += padded(data.byteLength);
  }
  return result;
}

/** The same message as a later version of the program may send it: with header fields, arrays, shapes and kinds of numbers that nobody knows yet. */
export function withUnknownParts(message: Buffer): Buffer {
  const length = message.readUInt32LE(0);
  const header = JSON.parse(message.subarray(4, 4 + length).toString()) as {
    type: string;
    count?: number;
    arrays: Record<string, object>;
    bodies?: { shapes: object[] }[];
  };
  const rows = header.count ?? 1;
  const data = message.subarray(4 + length);
  const added = Buffer.alloc(8 * rows * 3);
  for (const group of [header.type, 'contacts', 'joints']) {
    header.arrays[`${group}/unknown`] = { type: 'float64', shape: [rows, 3], offset: data.length };
  }
  header.arrays[`${header.type}/words`] = { type: 'text', shape: [rows], offset: data.length };
  for (const body of header.bodies ?? []) body.shapes.push({ type: 'unknown', material: 'wood', position: [0, 0, 0], orientation: [1, 0, 0, 0] });
  const text = Buffer.from(JSON.stringify({ ...header, unknown: { deep: [1, 2, 3] } }));
  const start = Buffer.alloc(4);
  start.writeUInt32LE(padded(4 + text.length) - 4, 0);
  return Buffer.concat([start, text, Buffer.alloc(padded(4 + text.length) - 4 - text.length, ' '), data, added]);
}

/** The element of a report that holds these messages. */
export function encodeReport(messages: Buffer[]): string {
  const parts: Buffer[] = [];
  for (const message of messages) {
    const length = Buffer.alloc(8);
    length.writeUInt32LE(message.length, 0);
    parts.push(length, message, Buffer.alloc(padded(message.length) - message.length));
  }
  const text = gzipSync(Buffer.concat(parts)).toString('base64');
  return `<script type="text/plain" id="cardhouse-report">${text}</script>`;
}
