import { ViewerError } from '../../shared/contract/errors.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { AnnotatedFile, AnnotatedFiles } from './annotatedFiles.ts';
import { checkBody } from './checkBody.ts';
import { checkBodyTask } from './checkBodyTask.ts';
import { type EntityTag, entityTag, matchesEntityTag } from './entityTag.ts';
import { writeCsv } from './exportCsv.ts';
import { findImported, type ImportedAnnotations, NOTHING_IMPORTED } from './importedAnnotations.ts';
import { NO_PACKED_ROIS, type PackedRois } from './packedRois.ts';
import { type ImportOutcome, type ImportState, startImport } from './startImport.ts';
import type { Edit } from './touchedFiles.ts';
import { writeTouched } from './writeTouched.ts';

export type AnnotationsOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** What to import when the scan has ended. Its relative paths begin at `startDirectory`. */
  readonly csv?: { readonly path: string; readonly startDirectory: string } | undefined;
  /** Differs between two runs of the server, so that a tag of the one before never matches. */
  readonly instance: string;
};

export type StoredAnnotation = { readonly rois: PackedRois; readonly etag: EntityTag };

/**
 * The ROIs of all open files. They live in memory only: neither the CSV nor a DICOM file is ever written, and the
 * export is how work is kept.
 */
export interface Annotations {
  readonly importState: () => ImportState;
  /** Settles once, when it is certain what was imported. Never rejects. */
  readonly imported: Promise<ImportOutcome>;
  /** Waits for the import, but for a file that was edited: there the edit holds whatever the import brings. */
  read(index: number): Promise<StoredAnnotation>;
  /** The JSON of `AnnotatedFilesResponse` at one moment, in pieces. Waits for the import. */
  listFiles(): Promise<Iterable<string>>;
  /**
   * Replaces all ROIs of a file at once by those of a JSON body, or rejects and changes nothing. Never waits for the
   * import. Whether If-Match holds is decided when the edit is made, not when the request came.
   */
  replace(
    index: number,
    body: Uint8Array,
    options?: { readonly ifMatch?: string | undefined },
  ): Promise<StoredAnnotation>;
  /** The CSV of one moment, in pieces. Waits for the import, unless only edits are wanted. */
  exportCsv(options?: { readonly editsOnly?: boolean | undefined }): Promise<Iterable<string>>;
  /** Those who wait are told that the server shuts down; edits are refused, as nobody could export them any more. */
  close(): void;
}

/** A shorter body is parsed and checked in a few milliseconds, sooner than a worker thread could begin. */
const CHECKED_HERE_BYTES = 32 * 1024;
const CHECK_TIMEOUT_MS = 10_000;

export function createAnnotations({ files, tasks, csv, instance }: AnnotationsOptions): Annotations {
  const edits = new Map<number, Edit>();
  const closing = new AbortController();
  const { imported, importState } = startImport({ files, tasks, csv, signal: closing.signal });

  const stored = ({ rois, revision }: Edit): StoredAnnotation => ({ rois, etag: entityTag(instance, revision) });

  async function check(body: Uint8Array, { rows, columns, frameCount }: AnnotatedFile): Promise<PackedRois> {
    const input = { body, bounds: { rows, columns, frameCount } };
    if (body.length <= CHECKED_HERE_BYTES) return checkBody(input);
    const { signal } = closing;
    return tasks.run(checkBodyTask, input, { timeoutMs: CHECK_TIMEOUT_MS, signal }).catch((error: unknown) => {
      throw signal.aborted ? shuttingDown() : error;
    });
  }

  return {
    imported,
    importState,

    async read(index) {
      files.get(index);
      const edit = edits.get(index);
      if (edit !== undefined) return stored(edit);
      const outcome = await imported;
      // An edit made meanwhile answers even when the import failed.
      return stored(
        edits.get(index) ?? { rois: findImported(requireImport(outcome), index) ?? NO_PACKED_ROIS, revision: 0 },
      );
    },

    async listFiles() {
      const base = requireImport(await imported);
      return writeTouched({ base, edits: new Map(edits) }, instance);
    },

    async replace(index, body, { ifMatch } = {}) {
      const rois = await check(body, files.get(index));
      // Nothing waits from here on: the tag that is compared is that of the ROIs which are replaced.
      if (closing.signal.aborted) throw shuttingDown();
      const revision = edits.get(index)?.revision ?? 0;
      const current = entityTag(instance, revision);
      if (ifMatch !== undefined && !matchesEntityTag(ifMatch, current)) {
        throw new ViewerError(
          'stale_annotation',
          `the ROIs were changed meanwhile: they are at ${current}, not ${ifMatch}`,
        );
      }
      const edit = { rois, revision: revision + 1 };
      edits.set(index, edit);
      return stored(edit);
    },

    async exportCsv({ editsOnly = false } = {}) {
      const base = editsOnly ? NOTHING_IMPORTED : requireImport(await imported);
      // Copied before anything is sent: an edit made while the client reads belongs to the next export.
      return writeCsv({ base, edits: new Map(edits), pathOf: (index) => files.get(index).path });
    },

    close() {
      closing.abort();
    },
  };
}

function requireImport(outcome: ImportOutcome): ImportedAnnotations {
  if (outcome.state === 'failed') throw new ViewerError('annotation_import_failed', outcome.message);
  if (outcome.state === 'stopped') throw shuttingDown();
  return outcome.state === 'done' ? outcome.annotations : NOTHING_IMPORTED;
}

function shuttingDown(): ViewerError {
  return new ViewerError('shutting_down', 'the server is shutting down');
}
