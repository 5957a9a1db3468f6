import { describe, expect, it } from 'vitest';
import { decodeMessage, decodeSeries } from '../../src/wire/decode';
import { decodeBase64 } from '../../src/wire/report';
import { encodeMessage, encodeReport } from '../mock/encode';
import { gunzipSync } from 'node:zlib';

const buffer = (b: Buffer): ArrayBuffer => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);

describe('decodeMessage', () => {
  it('reads every element type', () => {
    const message = decodeMessage(
      buffer(
        encodeMessage({ type: 'frames', first: 3, count: 1 }, {
          'a/float64': { data: Float64Array.of(1.5, -2), shape: [2] },
          'a/float32': { data: Float32Array.of(0.25), shape: [1] },
          'a/int64': { data: BigInt64Array.of(5n, -7n, 2n ** 40n), shape: [3] },
          'a/int32': { data: Int32Array.of(-1, 9, 4), shape: [3] },
          'a/uint32': { data: Uint32Array.of(4294967295), shape: [1] },
          'a/uint8': { data: Uint8Array.of(1, 2, 255), shape: [3, 1] },
        }),
      ),
    );
    expect(message.header).toMatchObject({ type: 'frames', first: 3, count: 1 });
    const values = (name: string) => [...message.arrays.get(`a/${name}`)!.data];
    expect(values('float64')).toEqual([1.5, -2]);
    expect(values('float32')).toEqual([0.25]);
    expect(values('int64')).toEqual([5, -7, 2 ** 40]);
    expect(values('int32')).toEqual([-1, 9, 4]);
    expect(values('uint32')).toEqual([4294967295]);
    expect(values('uint8')).toEqual([1, 2, 255]);
    expect(message.arrays.get('a/uint8')!.shape).toEqual([3, 1]);
  });

  it('makes views, not copies', () => {
    const raw = buffer(encodeMessage({ type: 'frames' }, { x: { data: Float64Array.of(1, 2), shape: [2] } }));
    expect(decodeMessage(raw).arrays.get('x')!.data.buffer).toBe(raw);
  });

  it('ignores element types it does not know', () => {
    const text = JSON.stringify({ type: 'state', arrays: { x: { type: 'float128', shape: [1], offset: 0 } } });
    const raw = Buffer.alloc(4 + text.length);
    raw.writeUInt32LE(text.length, 0);
    raw.write(text, 4);
    expect(decodeMessage(buffer(raw)).arrays.size).toBe(0);
  });

  it('refuses messages that end too early', () => {
    const raw = buffer(encodeMessage({ type: 'frames' }, { x: { data: Float64Array.of(1, 2), shape: [2] } }));
    expect(() => decodeMessage(raw.slice(0, 2))).toThrow();
    expect(() => decodeMessage(raw.slice(0, 12))).toThrow();
    expect(() => decodeMessage(raw.slice(0, raw.byteLength - 8))).toThrow(/array x/);
  });
});

describe('reports', () => {
  it('come through base64, gzip and the series of messages', () => {
    const element = encodeReport([
      encodeMessage({ type: 'error', message: 'one, with ä' }),
      encodeMessage({ type: 'steps', first: 0, count: 3 }, { 'steps/time': { data: Uint8Array.of(1, 2, 3), shape: [3] } }),
    ]);
    const bytes = decodeBase64(/>([^<]*)</.exec(element)![1]!);
    const messages = decodeSeries(buffer(gunzipSync(bytes)));
    expect(messages.map((m) => m.header.type)).toEqual(['error', 'steps']);
    expect(messages[0]!.header).toMatchObject({ message: 'one, with ä' });
    expect([...messages[1]!.arrays.get('steps/time')!.data]).toEqual([1, 2, 3]);
  });

  it('decode base64 as Node does, at every length, with line breaks', () => {
    for (let n = 0; n < 9; ++n) {
      const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 91 + 7) & 255);
      const text = Buffer.from(bytes).toString('base64');
      expect([...decodeBase64(`\n${text.slice(0, 3)}\n${text.slice(3)}\n`)]).toEqual([...bytes]);
    }
    expect(() => decodeBase64('ab*d')).toThrow(/character 2/);
  });
});
