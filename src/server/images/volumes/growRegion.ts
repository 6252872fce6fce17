import type { MarkMask } from '../../../shared/contract/marks.ts';
import type { VolumeRegionResponse } from '../../../shared/contract/volumes.ts';
import { countMaskPixels, encodeMask } from '../../../shared/maskRuns.ts';
import { floodFill } from '../../../shared/maskTools/floodFill.ts';
import { markRange } from '../../../shared/maskTools/markRange.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { viewSamples } from './sampleView.ts';
import { type GrowRegionInput, MOST_REGION_RUNS } from './volumeTasks.ts';

/** The region that grows from a sample of a volume in memory, as the JSON of the response. */
export function growRegion(
  input: GrowRegionInput,
  { throwIfCancelled, transfer }: Pick<TaskContext, 'throwIfCancelled' | 'transfer'>,
): Uint8Array<ArrayBuffer> | undefined {
  const { buffer, storage, columns, rows, slopes, intercepts, seed, fileIndices, frameIndices } = input;
  const slices = fileIndices.length;
  const inSlice = columns * rows;
  const state = new Uint8Array(inSlice * slices);
  const range = toStorage(input);
  for (let slice = 0; slice < slices; slice += 1) {
    throwIfCancelled();
    const samples = viewSamples(storage, buffer, slice * inSlice, inSlice);
    markRange(
      samples,
      { kind: 'rescale', slope: slopes[slice]!, intercept: intercepts[slice]! },
      range,
      state.subarray(slice * inSlice, (slice + 1) * inSlice),
    );
  }
  floodFill(state, { columns, rows, slices }, seed, { from: 1, to: 2, pause: throwIfCancelled });
  const found: string[] = [];
  let [voxels, runs] = [0, 0];
  for (let slice = 0; slice < slices; slice += 1) {
    throwIfCancelled();
    const bits = state.subarray(slice * inSlice, (slice + 1) * inSlice);
    for (let at = 0; at < inSlice; at += 1) bits[at]! >>= 1;
    const mask = encodeMask({ bits, columns, rows });
    if (mask === undefined) continue;
    voxels += countMaskPixels(mask.runs);
    runs += mask.runs.length;
    if (runs > MOST_REGION_RUNS) return undefined;
    found.push(writeSlice(fileIndices[slice]!, frameIndices[slice]!, mask));
  }
  const text = `{"voxels":${voxels},"slices":[${found.join()}]}`;
  return transfer(new TextEncoder().encode(text));
}

/** Values in memory are rounded to its type, and so are the ends: what was in the range stays in it. */
function toStorage({ storage, low, high }: GrowRegionInput) {
  return storage === 'float32' ? { low: Math.fround(low), high: Math.fround(high) } : { low, high };
}

function writeSlice(fileIndex: number, frameIndex: number, mask: MarkMask): string {
  const slice: VolumeRegionResponse['slices'][number] = {
    file_index: fileIndex,
    frame_index: frameIndex,
    points: [],
    mask,
  };
  return JSON.stringify(slice);
}
