import { readArray } from '../../../images/attachments/readArray.ts';
import { openSame, requireUnchanged } from '../../../bytes/origins/origins.ts';
import { isFloatStorage, viewSamples } from '../../../images/volumes/sampleView.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createRuns, findStrides } from './arrayOrder.ts';
import type { ReadValuesInput } from './attachmentTasks.ts';

/** Implements `readValuesTask`. Integers are written as they are stored, all other elements with their scale. */
export async function readValues(
  { data, header, order, channel, storage, buffer }: ReadValuesInput,
  context: TaskContext,
): Promise<void> {
  const { sizes } = header;
  const samples = viewSamples(storage, buffer);
  const size = sizes[order.columns.axis]! * sizes[order.rows.axis]! * sizes[order.slices.axis]!;
  // A table has two slices at least; of a single one, the second is unknown.
  if (isFloatStorage(storage)) samples.fill(NaN, size);
  const strides = findStrides(sizes, order);
  const [step = 1] = strides.steps;
  const eachRun = createRuns(sizes, strides);
  const [low, high] = [channel * size, (channel + 1) * size];
  const isSlowest = order.channels === undefined || order.channels === sizes.length - 1;
  const opened = openSame(data);
  try {
    for await (const block of readArray(opened, isFloatStorage(storage) ? header : { ...header, scale: undefined })) {
      context.throwIfCancelled();
      const goesOn = eachRun(block.length, (from, count, first) => {
        // The other volumes are behind it.
        if (isSlowest && first >= high) return false;
        let to = first - low;
        for (let i = from; i < from + count; i += 1, to += step) {
          if (to >= 0 && to < size) samples[to] = block[i]!;
        }
        return true;
      });
      if (!goesOn) break;
    }
    requireUnchanged(opened);
  } finally {
    opened.close();
  }
}
