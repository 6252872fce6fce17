import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { MIB } from '../../../machine/system/mib.ts';
import type { Task, TaskRunner } from '../../../machine/workers/task.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { decodeCostOfAll } from '../../pixels/decodeCost.ts';
import { explainTaskError } from '../../pixels/explainTaskError.ts';
import type { FrameOptions } from '../../pixels/frames.ts';
import type { DecodeCost } from '../../pixels/frameTasks.ts';
import { bytesOfSample } from '../../volumes/sampleView.ts';
import { cropOf } from '../../volumes/volume.ts';
import type { KnownVolume } from '../../volumes/volumeMemory.ts';
import type { SliceToWrite, WriteSlicesInput } from '../exportTasks.ts';
import type { SampleForm } from './sampleForm.ts';

/** Slices that one task decodes, in bytes of the file. */
const PART_BYTES = 4 * MIB;
const MOST_IN_PART = 64;
/** Parts that are made while the client reads. Long slices are made one at a time. */
const MOST_AHEAD = 2;

/** The volume of a request, and the part of it that is written. */
export type FoundVolume = {
  readonly volume: KnownVolume;
  /** At least one. */
  readonly times: readonly number[];
  readonly firstPlace: number;
  readonly places: number;
  readonly isSingle: boolean;
};

export type PartsContext = {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
};

/** The parts of a file, in order. Some are made in advance; they stop when nobody asks any more. */
export async function* makeParts<Part>(
  { files, tasks, memory }: PartsContext,
  found: FoundVolume,
  form: SampleForm & { readonly rowsRunUp: boolean },
  task: Task<WriteSlicesInput, Part, DecodeCost>,
  options: FrameOptions,
): AsyncGenerator<Part, void> {
  const { table, sample } = found.volume;
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const writtenBytes = table.rows * table.columns * bytesOfSample(form.storage);
  const start = (slices: readonly SliceToWrite[]) => {
    const ofSlices = slices.map(({ fileIndex }) => files[fileIndex]!);
    const part = tasks.run(
      task,
      {
        storage: sample.storage,
        isModality: sample.isModality,
        rows: table.rows,
        columns: table.columns,
        written: form.storage,
        rowsRunUp: form.rowsRunUp,
        slices,
      },
      {
        signal,
        priority: 'prefetch',
        isAwaited: true,
        of: decodeCostOfAll(ofSlices, memory.plan.tasks),
      },
    );
    const explained = part.catch((error: unknown) => {
      throw explainTaskError(error, slices[0]!.frame);
    });
    explained.catch(() => undefined);
    return explained;
  };
  const ahead: Promise<Part>[] = [];
  const most = partsAhead(writtenBytes);
  try {
    for (const slices of listParts(files, found, form, slicesInPart(writtenBytes))) {
      ahead.push(start(slices));
      if (ahead.length > most) yield await ahead.shift()!;
    }
    for (const part of ahead) yield await part;
  } finally {
    stop.abort(new Error('nobody asks for the rest of the file'));
  }
}

function* listParts(
  files: readonly DicomFile[],
  { volume, times, firstPlace, places }: FoundVolume,
  form: SampleForm,
  mostSlices: number,
) {
  const placesOfTime = volume.table.positionsMm.length;
  let slices: SliceToWrite[] = [];
  for (const time of times) {
    for (let place = firstPlace; place < firstPlace + places; place += 1) {
      const at = time * placesOfTime + place;
      const fileIndex = volume.fileIndices[at]!;
      const { source } = files[fileIndex]!;
      const frame = volume.frameIndices[at]!;
      const mapping = volume.mappings?.ofFrames[at];
      slices.push({ source, frame, fileIndex, mapping, crop: cropOf(volume.crops, at), rescale: form.rescaleOf(at) });
      if (slices.length < mostSlices) continue;
      yield slices;
      slices = [];
    }
  }
  if (slices.length > 0) yield slices;
}

export function slicesInPart(sliceBytes: number): number {
  return Math.min(MOST_IN_PART, Math.max(1, Math.floor(PART_BYTES / sliceBytes)));
}

export function partsAhead(sliceBytes: number): number {
  return sliceBytes > PART_BYTES ? 0 : MOST_AHEAD;
}
