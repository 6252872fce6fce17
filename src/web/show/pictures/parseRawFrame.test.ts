import { describe, expect, test } from 'vitest';
import { parseRawFrame } from './parseRawFrame.ts';

const CT = {
  'X-Frame-Rows': '1',
  'X-Frame-Columns': '2',
  'X-Frame-Bits-Allocated': '16',
  'X-Frame-Pixel-Representation': '1',
  'X-Frame-Samples-Per-Pixel': '1',
  'X-Frame-Photometric-Interpretation': 'MONOCHROME2',
  'X-Frame-Rescale-Slope': '2',
  'X-Frame-Rescale-Intercept': '-1024',
  'X-Frame-Sample-Kind': 'integer',
  'X-Frame-Presentation': 'raw',
};

function parse(headers: Record<string, string>, samples: ArrayBufferView<ArrayBuffer>) {
  return parseRawFrame(new Headers({ ...CT, ...headers }), samples.buffer);
}

describe('an answer of /raw', () => {
  test('becomes samples and what they mean', () => {
    const headers = {
      'X-Frame-Default-Wc': '40',
      'X-Frame-Default-Ww': '400.5',
      'X-Frame-Padding-Low': '-2000',
      'X-Frame-Padding-High': '-1999',
      'X-Frame-Voi-Lut-Function': 'SIGMOID',
    };
    expect(parse(headers, Int16Array.of(-2000, 300))).toEqual({
      kind: 'gray',
      rows: 1,
      columns: 2,
      samples: Int16Array.of(-2000, 300),
      isMonochrome1: false,
      modality: { kind: 'rescale', slope: 2, intercept: -1024 },
      voi: { windows: [{ center: 40, width: 400.5 }], shape: 'SIGMOID', tables: [] },
      padding: { low: -2000, high: -1999 },
      presentation: 'raw',
    });
  });

  test.each([
    ['1', '0', 'integer', Uint8Array.of(0, 1)],
    ['8', '0', 'integer', Uint8Array.of(1, 255)],
    ['8', '1', 'integer', Int8Array.of(-1, 127)],
    ['16', '0', 'integer', Uint16Array.of(1, 65535)],
    ['32', '0', 'integer', Uint32Array.of(1, 4294967295)],
    ['32', '1', 'integer', Int32Array.of(-1, 5)],
    ['32', '0', 'float', Float32Array.of(0.5, NaN)],
    ['64', '0', 'float', Float64Array.of(1e-200, -1)],
  ])('with %s bits, signed %s, %s keeps its samples', (bits, signed, kind, samples) => {
    const headers = {
      'X-Frame-Bits-Allocated': bits,
      'X-Frame-Pixel-Representation': signed,
      'X-Frame-Sample-Kind': kind,
    };
    expect(parse(headers, samples)?.samples).toEqual(samples);
  });

  test('of 64-bit integers becomes numbers', () => {
    expect(parse({ 'X-Frame-Bits-Allocated': '64' }, BigInt64Array.of(-7n, 9n))?.samples).toEqual(
      Float64Array.of(-7, 9),
    );
  });

  test('without what the picture needs is left to the server', () => {
    expect(parse({ 'X-Frame-Presentation': 'something_newer' }, Int16Array.of(1, 2))?.presentation).toBe('server');
  });

  test('that is no gray is none', () => {
    expect(parse({ 'X-Frame-Photometric-Interpretation': 'PALETTE COLOR' }, Int16Array.of(1, 2))).toBeUndefined();
  });

  test('that is cut off is refused', () => {
    expect(() => parse({}, Int16Array.of(1))).toThrow('received 1 samples for 2 x 1 pixels');
  });
});
