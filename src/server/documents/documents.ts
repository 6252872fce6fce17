import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../origins/origins.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import type { References, ResolvedReference } from '../references/references.ts';
import type { Task, TaskRunner } from '../workers/task.ts';
import { type DocumentFile, type DocumentLink, type DocumentRecord, readDocumentTask } from './documentTasks.ts';

export type ResolvedLink = DocumentLink & Pick<ResolvedReference, 'matches'>;

export type DocumentOptions = { readonly signal?: AbortSignal | undefined };

/** What objects say, in a form for people. */
export interface Documents {
  read(file: DicomFile, options?: DocumentOptions): Promise<DocumentRecord>;
  /** Which open files a link leads to. */
  resolve(link: DocumentLink): ResolvedLink;
  /**
   * Runs a task of a kind of document, such as reading a page of a report. `query` is everything that its answer depends
   * on apart from the file.
   */
  run<Query extends object, Output>(
    task: Task<Query & DocumentFile, Output>,
    file: DicomFile,
    query: Query,
    options?: DocumentOptions,
  ): Promise<Output>;
}

const READ_TIMEOUT_MS = 30_000;

export type DocumentsContext = {
  readonly tasks: TaskRunner;
  readonly references: Pick<References, 'resolve'>;
};

export function createDocuments({ tasks, references }: DocumentsContext): Documents {
  const run: Documents['run'] = async (task, file, query, { signal } = {}) => {
    const { source, sopClassUid, transferSyntaxUid } = file;
    return tasks.run(
      task,
      { ...query, source, sopClassUid, transferSyntaxUid },
      {
        timeoutMs: READ_TIMEOUT_MS,
        memory: readMemoryOf(file),
        shareKey: `${task.name}\0${await stateOf(source)}\0${JSON.stringify(query)}`,
        ...(signal !== undefined && { signal }),
      },
    );
  };
  return {
    run,
    read: (file, options) => run(readDocumentTask, file, {}, options),
    resolve: (link) => ({ ...link, matches: references.resolve(link).matches }),
  };
}
