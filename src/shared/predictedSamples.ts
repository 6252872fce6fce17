import type { SmallSamples } from './sampleArray.ts';

/**
 * Encodes one gray frame as differences from the prediction by neighbouring samples, which general compressors shrink
 * much further than the samples themselves. The prediction is that of JPEG-LS (ITU-T T.87, A.4.1). Differences are
 * folded, so that small ones of either sign become small numbers. For 16-bit samples, all low bytes come first, then
 * all high bytes.
 */
export function predictSamples(samples: SmallSamples, columns: number): Uint8Array {
  const planes = new Uint8Array(samples.byteLength);
  const [low, high] = [planes.subarray(0, samples.length), planes.subarray(samples.length)];
  predictRows(samples, { columns, from: 0, to: Math.ceil(samples.length / columns) }, { low, high });
  return planes;
}

/** The bytes of the differences of some rows. Those of one byte have no high bytes. */
export type PredictedRows = { readonly low: Uint8Array; readonly high: Uint8Array };

/** Encodes the rows from `from` up to but not including `to`, as `predictSamples` does with all. */
export function predictRows(
  samples: SmallSamples,
  { columns, from, to }: { readonly columns: number; readonly from: number; readonly to: number },
  { low, high }: PredictedRows,
): void {
  const bits = samples.BYTES_PER_ELEMENT * 8;
  const wrap = 32 - bits;
  const start = from * columns;
  for (let at = start; at < to * columns; at += columns) {
    // The left neighbour of the first sample in a row is the sample above it, or 0 in the first row.
    let left = at === 0 ? 0 : samples[at - columns]!;
    let corner = left;
    for (let i = at; i < at + columns; i++) {
      const above = at === 0 ? left : samples[i - columns]!;
      const sample = samples[i]!;
      const difference = ((sample - predict(left, above, corner)) << wrap) >> wrap;
      const folded = (difference << 1) ^ (difference >> 31);
      low[i - start] = folded;
      if (bits === 16) high[i - start] = folded >> 8;
      left = sample;
      corner = above;
    }
  }
}

/**
 * Reverses `predictSamples` for the rows from `from` up to but not including `to`. Earlier rows must be restored
 * already.
 */
export function restoreRows(
  planes: Uint8Array,
  samples: SmallSamples,
  { columns, from, to }: { readonly columns: number; readonly from: number; readonly to: number },
): void {
  const high = samples.BYTES_PER_ELEMENT === 2 ? samples.length : 0;
  for (let row = from; row < to; row++) {
    const at = row * columns;
    let left = row === 0 ? 0 : samples[at - columns]!;
    let corner = left;
    for (let i = at; i < at + columns; i++) {
      const above = row === 0 ? left : samples[i - columns]!;
      const folded = high === 0 ? planes[i]! : planes[i]! | (planes[high + i]! << 8);
      samples[i] = predict(left, above, corner) + ((folded >>> 1) ^ -(folded & 1));
      // Reads the sample back, because it wraps around in its type just as the difference did.
      left = samples[i]!;
      corner = above;
    }
  }
}

/** The median of left, above and left + above - corner. */
function predict(left: number, above: number, corner: number): number {
  const least = left < above ? left : above;
  const most = left < above ? above : left;
  if (corner >= most) return least;
  return corner <= least ? most : left + above - corner;
}
