import { checkAnnotation, NO_ROIS } from '../../shared/annotations.ts';
import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { AnnotatedFiles } from './annotatedFiles.ts';
import { type EntityTag, entityTag, matchesEntityTag } from './entityTag.ts';
import { writeCsv } from './exportCsv.ts';
import { findImported, type ImportedAnnotations, NOTHING_IMPORTED } from './importedAnnotations.ts';
import { type ImportOutcome, type ImportState, startImport } from './startImport.ts';

export type AnnotationsOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** What to import when the scan has ended. Its relative paths begin at `startDirectory`. */
  readonly csv?: { readonly path: string; readonly startDirectory: string } | undefined;
  /** Differs between two runs of the server, so that a tag of the one before never matches. */
  readonly instance: string;
};

export type StoredAnnotation = { readonly payload: AnnotationPayload; readonly etag: EntityTag };

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
  /** Replaces all ROIs of a file at once, or throws and changes nothing. Never waits. */
  replace(index: number, value: unknown, options?: { readonly ifMatch?: string | undefined }): StoredAnnotation;
  /** The CSV of one moment, in pieces. Waits for the import, unless only edits are wanted. */
  exportCsv(options?: { readonly editsOnly?: boolean | undefined }): Promise<Iterable<string>>;
  /** Those who wait are told that the server shuts down; edits are refused, as nobody could export them any more. */
  close(): void;
}

type Edit = { readonly payload: AnnotationPayload; readonly revision: number };

export function createAnnotations({ files, tasks, csv, instance }: AnnotationsOptions): Annotations {
  const edits = new Map<number, Edit>();
  const closing = new AbortController();
  const { imported, importState } = startImport({ files, tasks, csv, signal: closing.signal });

  const stored = ({ payload, revision }: Edit): StoredAnnotation => ({ payload, etag: entityTag(instance, revision) });

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
        edits.get(index) ?? { payload: findImported(requireImport(outcome), index) ?? NO_ROIS, revision: 0 },
      );
    },

    replace(index, value, { ifMatch } = {}) {
      const file = files.get(index);
      const checked = checkAnnotation(value, file);
      if (!checked.ok) {
        const code = checked.problem.kind === 'shape' ? 'invalid_json' : 'invalid_annotation';
        throw new ViewerError(code, checked.problem.message);
      }
      if (closing.signal.aborted) throw shuttingDown();
      const revision = edits.get(index)?.revision ?? 0;
      const current = entityTag(instance, revision);
      if (ifMatch !== undefined && !matchesEntityTag(ifMatch, current)) {
        throw new ViewerError(
          'stale_annotation',
          `the ROIs were changed meanwhile: they are at ${current}, not ${ifMatch}`,
        );
      }
      const edit = { payload: checked.payload, revision: revision + 1 };
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
