import { constants, gzipSync } from 'node:zlib';
import { predictRows } from '../../../shared/predictedSamples.ts';
import { isSmallSamples, type SmallSamples } from '../../../shared/sampleArray.ts';
import { type GzipPart, packGzipPart, STRIP_BYTES, writeGzip } from '../../machine/workers/gzipParts.ts';
import type { PackedFrame, RawFrame, StoredFrame } from './frameTasks.ts';

/** Drops the overlay planes, which are drawn in pictures only. */
export function toRawFrame({ decoded, ...presentation }: StoredFrame): RawFrame {
  const { samples, planes: _, ...description } = decoded;
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return { bytes, ...description, ...presentation };
}

/** Compresses a frame losslessly for a slow link. */
export function packFrame(stored: StoredFrame, pack = packGzipPart): PackedFrame {
  const { samples, samplesPerPixel, columns } = stored.decoded;
  const raw = toRawFrame(stored);
  const isPredicted = isSmallSamples(samples) && samplesPerPixel === 1;
  const bytes = isPredicted
    ? packPredicted(samples, columns, pack)
    : gzipSync(raw.bytes, { level: constants.Z_BEST_SPEED });
  return { ...raw, bytes, isPredicted };
}

/** After prediction only zeros repeat, so searching for more than runs would waste time. */
const RUNS_ONLY = { strategy: constants.Z_RLE, memLevel: 9 };

/** As `predictSamples` has it, all low bytes before all high bytes, but in strips: the whole would be as long as the frame. */
function packPredicted(samples: SmallSamples, columns: number, pack: typeof packGzipPart): Uint8Array<ArrayBuffer> {
  const rows = samples.length / columns;
  const rowsAtOnce = Math.max(1, Math.floor(STRIP_BYTES / columns));
  const strip = () => new Uint8Array(Math.min(rows, rowsAtOnce) * columns);
  const hasHigh = samples.BYTES_PER_ELEMENT === 2;
  const space = { low: strip(), high: hasHigh ? strip() : new Uint8Array(0) };
  const parts: { readonly low: GzipPart[]; readonly high: GzipPart[] } = { low: [], high: [] };
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const to = Math.min(rows, from + rowsAtOnce);
    predictRows(samples, { columns, from, to }, space);
    const length = (to - from) * columns;
    parts.low.push(pack(space.low.subarray(0, length), RUNS_ONLY));
    if (hasHigh) parts.high.push(pack(space.high.subarray(0, length), RUNS_ONLY));
  }
  return writeGzip([...parts.low, ...parts.high]);
}
