import { expect, test } from 'vitest';
import { predictSamples } from '../../../shared/predictedSamples.ts';
import { restoreSamples } from './restoreSamples.ts';

test('a frame that is restored in several turns has every sample it had', async () => {
  // 1.2 million samples, of both signs.
  const [rows, columns] = [1_200, 1_000];
  const stored = Int16Array.from({ length: rows * columns }, (_, i) => Math.imul(i, 2_654_435_761) >>> 16);
  const samples = new Int16Array(predictSamples(stored, columns).buffer);

  await restoreSamples({ samples, rows, columns });

  expect(Buffer.from(samples.buffer).equals(Buffer.from(stored.buffer))).toBe(true);
});
