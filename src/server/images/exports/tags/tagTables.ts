import type { DicomFile } from '../../catalog/dicomFile.ts';
import type { CostFactors } from '../../../standard/dicom/readCost.ts';
import type { FrameOptions } from '../../pixels/frames.ts';
import { doInTurns, type WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { Task, TaskRunner } from '../../../machine/workers/task.ts';
import { listColumnsTask, writeRowsTask, writeTagTableTask } from '../exportTasks.ts';

/** The elements of files as CSV. */
export interface TagTables {
  /** One row for each element of a file, also in sequences. */
  file(file: DicomFile, options: FrameOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** One row for each file of a series, one column for each element at the top level. Written while it is sent. */
  series(file: DicomFile, options: FrameOptions): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
}

export type TagTablesContext = { readonly files: readonly DicomFile[]; readonly tasks: TaskRunner };

/** Files that one task reads. */
const BATCH = 64;

export function createTagTables({ files, tasks }: TagTablesContext): TagTables {
  const run = <Input, Output>(
    task: Task<Input, Output, readonly CostFactors[]>,
    input: Input,
    of: readonly DicomFile[],
    { signal }: FrameOptions,
  ) => tasks.run(task, input, { of, signal });
  return {
    file: (file, options) => run(writeTagTableTask, { source: file.source }, [file], options),
    async *series(file, options) {
      const all = await doInTurns(listSeries(files, file), options.signal);
      const tags = new Set<number>();
      for (const batch of inBatches(all)) {
        const sources = batch.map(({ source }) => source);
        for (const tag of await run(listColumnsTask, { sources }, batch, options)) tags.add(tag);
      }
      const columns = [...tags].toSorted((a, b) => a - b);
      let isFirst = true;
      for (const batch of inBatches(all)) {
        const rows = batch.map(({ source, index, path }) => ({ source, index, path }));
        yield await run(writeRowsTask, { files: rows, columns, isFirst }, batch, options);
        isFirst = false;
      }
    },
  };
}

/** The files of a series; a file without a series is alone. */
function* listSeries(files: readonly DicomFile[], of: DicomFile): WorkInTurns<readonly DicomFile[]> {
  const { seriesInstanceUid, studyInstanceUid } = of;
  if (seriesInstanceUid === '') return [of];
  const found: DicomFile[] = [];
  for (const [at, file] of files.entries()) {
    if (file.seriesInstanceUid === seriesInstanceUid && file.studyInstanceUid === studyInstanceUid) found.push(file);
    if (at % 1_000 === 999) yield;
  }
  return found;
}

function* inBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}
