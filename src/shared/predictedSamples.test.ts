import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { predictSamples, restoreRows } from './predictedSamples.ts';
import type { SmallSamples } from './sampleArray.ts';

type SampleClass = new (samples: Iterable<number>) => SmallSamples;

const CLASSES: readonly SampleClass[] = [Uint8Array, Int8Array, Uint16Array, Int16Array];

function restore(planes: Uint8Array, samples: SmallSamples, columns: number, rowsAtOnce: number): SmallSamples {
  const rows = samples.length / columns;
  for (let from = 0; from < rows; from += rowsAtOnce) {
    restoreRows(planes, samples, { columns, from, to: Math.min(rows, from + rowsAtOnce) });
  }
  return samples;
}

describe('predicted samples', () => {
  test('are folded differences from the median of left, above and their plane, low bytes before high ones', () => {
    // 10 - 0 = 10; 13 - 10 = 3; 9 - 10 = -1; 300 - median(9, 13, 9 + 13 - 10 = 12) = 288. Folded: 20, 6, 1, 576.
    const planes = predictSamples(Uint16Array.of(10, 13, 9, 300), 2);

    expect([...planes]).toEqual([20, 6, 1, 576 % 256, 0, 0, 0, 2]);
  });

  test('wrap around: from 0 to the largest number is one step down', () => {
    expect([...predictSamples(Uint16Array.of(0, 65_535), 2)]).toEqual([0, 1, 0, 0]);
    expect([...predictSamples(Int8Array.of(-128, 127), 2)]).toEqual([255, 1]);
  });

  test('are restored bit for bit, however many rows are restored at once', () => {
    const image = fc.record({
      rows: fc.integer({ min: 1, max: 9 }),
      columns: fc.integer({ min: 1, max: 9 }),
      Samples: fc.constantFrom(...CLASSES),
      rowsAtOnce: fc.integer({ min: 1, max: 10 }),
      // Large and small steps, which take different branches of the prediction.
      values: fc.array(fc.oneof(fc.integer({ min: -70_000, max: 70_000 }), fc.integer({ min: -2, max: 2 })), {
        minLength: 81,
        maxLength: 81,
      }),
    });
    fc.assert(
      fc.property(image, ({ rows, columns, Samples, rowsAtOnce, values }) => {
        const samples = new Samples(values.slice(0, rows * columns));

        const empty = new Samples(samples).fill(77);
        expect(restore(predictSamples(samples, columns), empty, columns, rowsAtOnce)).toEqual(samples);
      }),
    );
  });
});
