import { restoreRows } from '../../../shared/predictedSamples.ts';
import { isSmallSamples } from '../../../shared/sampleArray.ts';
import type { GrayFrame } from './loadedFrame.ts';

/** This number of samples takes a few milliseconds, after which the page can run other tasks. */
const AT_ONCE = 500_000;

/** Undoes the prediction of a frame's samples in place. */
export async function restoreSamples({
  samples,
  rows,
  columns,
}: Pick<GrayFrame, 'samples' | 'rows' | 'columns'>): Promise<void> {
  if (!isSmallSamples(samples)) throw new Error('samples of more than 16 bits are not predicted');
  const planes = new Uint8Array(samples.slice().buffer);
  const rowsAtOnce = Math.ceil(AT_ONCE / columns);
  for (let from = 0; from < rows; from += rowsAtOnce) {
    if (from > 0) await new Promise((resume) => setTimeout(resume));
    restoreRows(planes, samples, { columns, from, to: Math.min(rows, from + rowsAtOnce) });
  }
}
