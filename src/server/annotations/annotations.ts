import { ViewerError } from '../../shared/contract/errors.ts';
import type { TaskMemory, TaskRunner } from '../workers/task.ts';
import type { AnnotatedFile, AnnotatedFiles } from './annotatedFiles.ts';
import { checkBody } from './checkBody.ts';
import { checkBodyTask } from './checkBodyTask.ts';
import { type EntityTag, entityTag, matchesEntityTag } from './entityTag.ts';
import { writeCsv } from './exportCsv.ts';
import { findImported, type ImportedAnnotations, NOTHING_IMPORTED } from './importedAnnotations.ts';
import { createJournal } from './journal.ts';
import { toRecordedFile } from './journalRecord.ts';
import { NO_PACKED_ROIS, type PackedRois } from './packedRois.ts';
import { createRecovery, type KeptRois, type Recovery } from './recovery.ts';
import { type ImportOutcome, type ImportState, startImport } from './startImport.ts';
import type { Edit } from './touchedFiles.ts';
import { includesRois, uniteRois } from './uniteRois.ts';
import { writeTouched } from './writeTouched.ts';

export type AnnotationsOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** What to import when the scan has ended. Its relative paths begin at `startDirectory`. */
  readonly csv?: { readonly path: string; readonly startDirectory: string } | undefined;
  /** Differs between two runs of the server, so that a tag of the one before never matches. */
  readonly instance: string;
  /** Without it edits are in memory only. */
  readonly journal?: JournalSettings | undefined;
};

export type JournalSettings = {
  /** Where edits are kept until they are exported. Only this user may enter it. */
  readonly folder: string;
  /** What to do, when the scan has ended, with what an earlier run has kept of the open files. */
  readonly kept: 'offer' | 'restore' | 'forget';
  /** Told when edits cannot be written there, and why; and that they can be again. */
  readonly onTrouble?: (reason: string | undefined) => void;
};

export type StoredAnnotation = { readonly rois: PackedRois; readonly etag: EntityTag };

/** `kept`: the edit is on the disk. `memory`: it ends with the process, because it could not be written, or need not be. */
export type ReplacedAnnotation = StoredAnnotation & { readonly durability: 'kept' | 'memory' };

export type JournalReport = {
  readonly state: 'off' | 'on' | 'failing';
  /** Why it fails. */
  readonly error: string | undefined;
  readonly folder: string | undefined;
  /** Whether all that earlier runs have kept is known. */
  readonly isSearched: boolean;
  readonly kept: KeptRois | undefined;
};

/**
 * The ROIs of all open files. Neither the CSV nor a DICOM file is ever written: the export is how work leaves, and until
 * then the journal keeps it.
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
  ): Promise<ReplacedAnnotation>;
  /** The CSV of one moment. Waits for the import, unless only edits are wanted. */
  exportCsv(options?: { readonly editsOnly?: boolean | undefined }): Promise<ExportedCsv>;
  journal(): JournalReport;
  /** Settles when it is known what an earlier run has kept, and the start's own wish about it is done. Never rejects. */
  readonly recovered: Promise<RecoveryOutcome>;
  /** What an earlier run has kept of the open files is brought back, or removed. */
  recover(action: 'restore' | 'forget'): Promise<JournalReport>;
  /** Edits that nobody has exported. */
  countUnexported(): { readonly files: number; readonly rois: number };
  /** Those who wait are told that the server shuts down; edits are refused, as nobody could export them any more. */
  close(): void;
  /** After `close`, when no request is left: the journal is complete on the disk. */
  closeJournal(): Promise<void>;
}

export type ExportedCsv = {
  readonly pieces: Iterable<string>;
  /** To be called when the client has got all of it: these edits need not be kept any more. */
  readonly delivered: () => Promise<void>;
};

export type RecoveryOutcome =
  | { readonly state: 'none' }
  | { readonly state: 'offered' | 'restored' | 'forgotten'; readonly kept: KeptRois }
  | { readonly state: 'failed'; readonly message: string };

/** A shorter body is parsed and checked in a few milliseconds, sooner than a worker thread could begin. */
const CHECKED_HERE_BYTES = 32 * 1024;
/** The text, its values, and the ROIs in arrays. */
const CHECK_FACTOR = 16;
const CHECK_TIMEOUT_MS = 10_000;

export function createAnnotations(options: AnnotationsOptions): Annotations {
  const { files, tasks, csv, instance } = options;
  const edits = new Map<number, Edit>();
  const closing = new AbortController();
  const { imported, importState } = startImport({ files, tasks, csv, signal: closing.signal });
  const journal = options.journal && createJournal(options.journal);
  const recovery =
    journal &&
    createRecovery({
      folder: journal.folder,
      files,
      tasks,
      restore: async (index, kept) => {
        const current = edits.get(index);
        // An edit that was made meanwhile stays as it is, and what it lacks comes after it.
        const lists = current === undefined ? kept : [current.rois, ...kept];
        return (await put(index, { rois: uniteRois(lists), revision: (current?.revision ?? 0) + 1 })) === 'kept';
      },
      isHeld: (index, kept) => {
        const current = edits.get(index);
        return current !== undefined && journal.trouble() === undefined && includesRois(current.rois, kept);
      },
    });
  let isRecovered = false;
  const recovered = recoverAtStart(recovery, options.journal?.kept).then((outcome) => {
    isRecovered = true;
    return outcome;
  });
  /** Whoever reads must not see a state that the start is about to change. */
  const restored = options.journal?.kept === 'restore' ? recovered : undefined;

  /** From here on the edit holds. Settles when it is as safe as it gets. */
  async function put(index: number, edit: Edit): Promise<ReplacedAnnotation['durability']> {
    edits.set(index, edit);
    if (journal === undefined) return 'memory';
    const record = { file: toRecordedFile(files.get(index)), savedAtMs: Date.now(), rois: edit.rois };
    return (await journal.keep(index, record)) ? 'kept' : 'memory';
  }

  const report = (): JournalReport => {
    const error = journal?.trouble();
    return {
      state: journal === undefined ? 'off' : error === undefined ? 'on' : 'failing',
      error,
      folder: journal?.folder,
      isSearched: recovery?.isSearched() ?? true,
      kept: recovery?.kept(),
    };
  };

  const stored = ({ rois, revision }: Edit): StoredAnnotation => ({ rois, etag: entityTag(instance, revision) });

  async function check(body: Uint8Array, { rows, columns, frameCount }: AnnotatedFile): Promise<PackedRois> {
    const input = { body, bounds: { rows, columns, frameCount } };
    if (body.length <= CHECKED_HERE_BYTES) return checkBody(input);
    const { signal } = closing;
    return tasks
      .run(checkBodyTask, input, { timeoutMs: CHECK_TIMEOUT_MS, memory: checkMemory(body), signal })
      .catch((error: unknown) => {
        throw signal.aborted ? shuttingDown() : error;
      });
  }

  return {
    imported,
    recovered,
    // What is restored at the start comes like what is imported, and clients wait for it in the same way.
    importState: () => (restored !== undefined && !isRecovered ? { state: 'waiting' } : importState()),

    async read(index) {
      files.get(index);
      await orClosed(restored);
      const edit = edits.get(index);
      if (edit !== undefined) return stored(edit);
      const outcome = await imported;
      // An edit made meanwhile answers even when the import failed.
      return stored(
        edits.get(index) ?? { rois: findImported(requireImport(outcome), index) ?? NO_PACKED_ROIS, revision: 0 },
      );
    },

    async listFiles() {
      await orClosed(restored);
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
      const durability = await put(index, edit);
      return { ...stored(edit), durability };
    },

    async exportCsv({ editsOnly = false } = {}) {
      await orClosed(restored);
      const base = editsOnly ? NOTHING_IMPORTED : requireImport(await imported);
      // Copied before anything is sent: an edit made while the client reads belongs to the next export.
      const exported = new Map(edits);
      return {
        pieces: writeCsv({ base, edits: exported, pathOf: (index) => files.get(index).path }),
        async delivered() {
          const isStill = (index: number) => edits.get(index)?.revision === exported.get(index)?.revision;
          await journal?.release([...exported.keys()].filter(isStill));
        },
      };
    },

    journal: report,

    async recover(action) {
      await orClosed(recovery?.searched);
      await recovery?.settle(action);
      return report();
    },

    countUnexported: () => journal?.countKept() ?? { files: 0, rois: 0 },

    close() {
      closing.abort();
    },

    async closeJournal() {
      await journal?.close();
    },
  };

  /** Waits for it, but no longer than until the server shuts down. */
  async function orClosed(work: Promise<unknown> | undefined): Promise<void> {
    if (work === undefined) return;
    const { signal } = closing;
    const closed = new Promise<'closed'>((settle) => {
      if (signal.aborted) settle('closed');
      else signal.addEventListener('abort', () => settle('closed'), { once: true });
    });
    if ((await Promise.race([work, closed])) === 'closed') throw shuttingDown();
  }
}

async function recoverAtStart(
  recovery: Recovery | undefined,
  wish: JournalSettings['kept'] | undefined,
): Promise<RecoveryOutcome> {
  await recovery?.searched;
  const kept = recovery?.kept();
  if (recovery === undefined || kept === undefined || wish === undefined) return { state: 'none' };
  if (wish === 'offer') return { state: 'offered', kept };
  try {
    await recovery.settle(wish);
    return { state: wish === 'restore' ? 'restored' : 'forgotten', kept };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function requireImport(outcome: ImportOutcome): ImportedAnnotations {
  if (outcome.state === 'failed') throw new ViewerError('annotation_import_failed', outcome.message);
  if (outcome.state === 'stopped') throw shuttingDown();
  return outcome.state === 'done' ? outcome.annotations : NOTHING_IMPORTED;
}

function shuttingDown(): ViewerError {
  return new ViewerError('shutting_down', 'the server is shutting down');
}

function checkMemory({ length }: Uint8Array): TaskMemory {
  return { bytes: length * CHECK_FACTOR, isUpperBound: true };
}
