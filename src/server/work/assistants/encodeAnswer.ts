import type { MarkSlice } from '../../../shared/contract/marks.ts';
import { countMaskPixels, encodeMask } from '../../../shared/maskRuns.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type EncodeAnswerInput, type EncodedAnswer, MOST_ANSWER_RUNS } from './assistantTasks.ts';

/** The mask of an assistant as those of the stored frames. */
export function encodeAnswer(
  { from: [, top, left], size: [slices, rows, columns], samples, frames }: EncodeAnswerInput,
  { throwIfCancelled, transfer }: Pick<TaskContext, 'throwIfCancelled' | 'transfer'>,
): EncodedAnswer {
  const inSlice = rows * columns;
  const found: string[] = [];
  let [voxels, runs] = [0, 0];
  for (let slice = 0; slice < slices; slice += 1) {
    throwIfCancelled();
    const bits = samples.subarray(slice * inSlice, (slice + 1) * inSlice);
    for (let at = 0; at < inSlice; at += 1) if (bits[at]! > 1) return { wrongValue: bits[at]! };
    const mask = encodeMask({ bits, columns, rows });
    if (mask === undefined) continue;
    voxels += countMaskPixels(mask.runs);
    runs += mask.runs.length;
    if (runs > MOST_ANSWER_RUNS) return { tooManyRuns: true };
    const placed = { ...mask, left: mask.left + left, top: mask.top + top };
    found.push(JSON.stringify({ ...frames[slice]!, points: [], mask: placed } satisfies MarkSlice));
  }
  return { json: transfer(new TextEncoder().encode(`{"voxels":${voxels},"slices":[${found.join()}]}`)) };
}
