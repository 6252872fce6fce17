import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { AnnotatedFile, AnnotatedFiles } from '../../src/server/annotations/annotatedFiles.ts';
import { importCsv } from '../../src/server/annotations/importCsv.ts';
import { importCsvTask, type ImportInput } from '../../src/server/annotations/importTask.ts';
import type { TaskRunner } from '../../src/server/workers/task.ts';

export type OpenFiles = AnnotatedFiles & { endScan(how?: 'complete' | 'cancelled'): void };

/** A list of files as the catalog holds it, whose scan ends when the test says so. */
export function createOpenFiles(files: readonly AnnotatedFile[]): OpenFiles {
  let endScan: (how: 'complete' | 'cancelled') => void = () => undefined;
  const scanComplete = new Promise<'complete' | 'cancelled'>((settle) => {
    endScan = settle;
  });
  return {
    files,
    scanComplete,
    get(index) {
      const file = files[index];
      if (file === undefined) throw new ViewerError('not_found', `file ${index} is outside 0 to ${files.length - 1}`);
      return file;
    },
    endScan: (how = 'complete') => endScan(how),
  };
}

export function createImage(path: string, bounds: Partial<AnnotatedFile> = {}): AnnotatedFile {
  return { path, realPath: path, rows: 100, columns: 200, frameCount: 5, ...bounds };
}

/** Imports on this thread: the same code as in a worker, which a test can hold up. */
export function importHere(waitBefore: () => Promise<void> = async () => undefined): TaskRunner {
  return {
    async run(task, input, { signal }) {
      if (task.name !== importCsvTask.name) throw new Error(`no task ${task.name} here`);
      await waitBefore();
      const throwIfCancelled = () => signal?.throwIfAborted();
      const context = {
        isCancelled: () => signal?.aborted ?? false,
        throwIfCancelled,
        transfer: <View>(view: View) => view,
      };
      return (await importCsv(input as ImportInput, context)) as never;
    },
  };
}
