import type { RoiTarget } from '../../src/server/work/annotations/roiTargets.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { AnnotatedFile, AnnotatedFiles } from '../../src/server/work/journal/annotatedFiles.ts';
import { importCsv } from '../../src/server/work/annotations/importCsv.ts';
import { importCsvTask, type ImportInput } from '../../src/server/work/annotations/annotationTasks.ts';
import type { Task, TaskOptions, TaskRunner } from '../../src/server/machine/workers/task.ts';
import { pretendSource } from './sources.ts';

export type OpenFiles = AnnotatedFiles & { endScan(how?: 'complete' | 'cancelled'): void };

/** A list of files like the catalog's. The test decides when its scan ends. */
export function createOpenFiles(files: readonly AnnotatedFile[]): OpenFiles {
  const { promise: scanComplete, settle } = createDeferred<'complete' | 'cancelled'>();
  return {
    files,
    scanComplete,
    get(index) {
      const file = files[index];
      if (file === undefined) throw new ViewerError('not_found', `file ${index} is outside 0 to ${files.length - 1}`);
      return file;
    },
    endScan: (how = 'complete') => settle(how),
  };
}

export function createImage(
  path: string,
  different: Partial<Omit<AnnotatedFile & RoiTarget, 'source'>> = {},
): AnnotatedFile & RoiTarget {
  const { place = path } = different;
  return {
    path,
    place,
    source: pretendSource(place, { size: 1, mtimeMs: 1 }),
    rows: 100,
    columns: 200,
    frameCount: 5,
    sopInstanceUid: '1.2.3',
    ...different,
  };
}

/** Runs imports on this thread, with the same code as in a worker, so that a test can delay them. */
export function importHere(waitBefore: () => Promise<void> = async () => undefined): TaskRunner {
  return {
    async run<Input, Output, Of>(
      task: Task<Input, Output, Of>,
      input: Input,
      { signal }: TaskOptions<Of>,
    ): Promise<Output> {
      if (task.name !== importCsvTask.name) throw new Error(`no task ${task.name} here`);
      await waitBefore();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name of the task determines its input
      const result: unknown = await importCsv(input as ImportInput, {
        isCancelled: () => signal?.aborted ?? false,
        throwIfCancelled: () => signal?.throwIfAborted(),
        transfer: (view) => view,
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and its output
      return result as Output;
    },
  };
}

/** A promise that the test settles. */
export function createDeferred<T>(): { promise: Promise<T>; settle: (value: T) => void } {
  const settlers: ((value: T) => void)[] = [];
  const promise = new Promise<T>((settle) => settlers.push(settle));
  return { promise, settle: (value) => settlers[0]?.(value) };
}
