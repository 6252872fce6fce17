import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { predictSamples } from '../../../shared/predictedSamples.ts';
import type { SmallSamples } from '../../../shared/sampleArray.ts';
import { packGzipPart, STRIP_BYTES } from '../../machine/workers/gzipParts.ts';
import type { StoredFrame } from './frameTasks.ts';
import { packFrame } from './packFrame.ts';

function storedFrame(samples: SmallSamples, columns: number): StoredFrame {
  return {
    decoded: {
      rows: samples.length / columns,
      columns,
      samplesPerPixel: 1,
      bitsAllocated: 8 * samples.BYTES_PER_ELEMENT,
      pixelRepresentation: 0,
      photometricInterpretation: 'MONOCHROME2',
      samples,
      changes: [],
      damage: undefined,
      planes: [],
    },
    rescaleSlope: 1,
    rescaleIntercept: 0,
    defaultWindow: undefined,
    padding: undefined,
    sampleKind: 'integer',
    voiLutFunction: undefined,
    presentation: 'raw',
  };
}

test.each([Uint8Array, Uint16Array])('a long frame is predicted and packed in strips: %o', (Samples) => {
  const columns = 1_000;
  const samples = new Samples(Array.from({ length: 2_500 * columns }, (_, at) => Math.imul(at, 40_503) >>> 3));
  const packed: number[] = [];
  const { bytes, isPredicted } = packFrame(storedFrame(samples, columns), (strip, options) => {
    packed.push(strip.length);
    return packGzipPart(strip, options);
  });

  expect(isPredicted).toBe(true);
  expect(Math.max(...packed)).toBeLessThanOrEqual(STRIP_BYTES);
  expect(packed.reduce((sum, length) => sum + length, 0)).toBe(samples.byteLength);
  expect(gunzipSync(bytes).equals(predictSamples(samples, columns))).toBe(true);
});

test('a frame of rows that are longer than a strip is packed row by row', () => {
  const samples = new Uint8Array(2 * (STRIP_BYTES + 1)).fill(7);
  const { bytes } = packFrame(storedFrame(samples, STRIP_BYTES + 1));

  expect(gunzipSync(bytes).equals(predictSamples(samples, STRIP_BYTES + 1))).toBe(true);
});
