import { constants, gzipSync } from 'node:zlib';
import { predictSamples } from '../../shared/predictedSamples.ts';
import { isSmallSamples } from '../../shared/sampleArray.ts';
import type { PackedFrame, RawFrame, StoredFrame } from './frameTasks.ts';

/** Drops the overlay planes, which are drawn in pictures only. */
export function toRawFrame({ decoded, ...presentation }: StoredFrame): RawFrame {
  const { samples, planes: _, ...description } = decoded;
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return { bytes, ...description, ...presentation };
}

/** Compresses a frame losslessly for a slow link. */
export function packFrame(stored: StoredFrame): PackedFrame {
  const { samples, samplesPerPixel, columns } = stored.decoded;
  const raw = toRawFrame(stored);
  const isPredicted = isSmallSamples(samples) && samplesPerPixel === 1;
  const bytes = isPredicted
    ? // After prediction only zeros repeat, so searching for more than runs would waste time.
      gzipSync(predictSamples(samples, columns), { strategy: constants.Z_RLE, memLevel: 9 })
    : gzipSync(raw.bytes, { level: constants.Z_BEST_SPEED });
  return { ...raw, bytes, isPredicted };
}
