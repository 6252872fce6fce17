import { ViewerError } from '../../../shared/contract/errors.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type AnnotatedFile, type AnnotatedFiles, boundsOfFile } from './annotatedFiles.ts';
import { checkBody } from './checkBody.ts';
import { checkBodyTask, readJournalTask } from './annotationTasks.ts';
import { type EntityTag, entityTag, matchesEntityTag } from './entityTag.ts';
import { writeCsv, writeTouched } from './writeRois.ts';
import {
  type Edit,
  findImported,
  type ImportedAnnotations,
  includesRois,
  NO_PACKED_ROIS,
  NOTHING_IMPORTED,
  type PackedRois,
  touchedFiles,
  uniteRois,
} from './packedRois.ts';
import type { FoundJournal } from './findJournals.ts';
import { createJournal } from './journal.ts';
import {
  type JournalFormat,
  type JournalRecord,
  type KeptRecords,
  readRoiJournal,
  REDACTION_FORMAT,
  ROI_FORMAT,
  toRecordedFile,
} from './journalFile.ts';
import {
  createRecovery,
  type JournalReport,
  recoverAtStart,
  type RecoveryAction,
  type RecoveryOutcome,
  reportJournal,
} from './recovery.ts';
import { orClosed, shuttingDown } from './shuttingDown.ts';
import { type ImportOutcome, type ImportProgress, startImport } from './startImport.ts';

export type AnnotationsOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** The CSV to import after the scan. Its relative paths start at `startDirectory`. */
  readonly csv?: { readonly path: string; readonly startDirectory: string } | undefined;
  /** Differs between runs of the server, so that an entity tag of an earlier run never matches. */
  readonly instance: string;
  /** Without it, edits are only held in memory. */
  readonly journal?: JournalSettings | undefined;
  /** What they are. The journals of both are in the same folder. */
  readonly kind?: RoiKind;
  /** Called with the ROIs of a file before they take effect. What it throws refuses them. */
  readonly onEdit?: ((index: number, rois: PackedRois) => void) | undefined;
  /** Called with the ROIs that an earlier run kept of a file, before they are added. */
  readonly onRestore?: ((index: number, rois: readonly PackedRois[]) => void) | undefined;
};

export type RoiKind = 'rois' | 'redactions';

const FORMATS: Readonly<Record<RoiKind, JournalFormat<JournalRecord>>> = {
  rois: ROI_FORMAT,
  redactions: REDACTION_FORMAT,
};

/** A journal up to this length is read in a few milliseconds, sooner than a worker thread could start. */
const READ_HERE_BYTES = 64 * 1024;
const NEVER_CANCELLED = { throwIfCancelled: () => undefined };

/** Reads journals of ROIs or redactions. */
export function roiJournalReader(
  kind: RoiKind,
  tasks: TaskRunner,
): (journal: FoundJournal) => Promise<KeptRecords<JournalRecord> | undefined> {
  return ({ path, size }) =>
    size <= READ_HERE_BYTES
      ? readRoiJournal({ path, format: kind }, NEVER_CANCELLED)
      : tasks.run(readJournalTask, { path, format: kind }, { signal: undefined });
}

export type JournalSettings = {
  /** Where edits are kept until they are exported. Only this user has access to it. */
  readonly folder: string;
  /** What to do after the scan with edits of the open files that an earlier run kept. */
  readonly kept: 'offer' | 'restore' | 'forget';
  /** The name of the journal of this run, if it is to be known. */
  readonly name?: string;
  /** Called with the reason when edits cannot be written, and with undefined when they can be written again. */
  readonly onTrouble?: (reason: string | undefined) => void;
};

export type StoredAnnotation = { readonly rois: PackedRois; readonly etag: EntityTag };

/**
 * `kept`: the edit is on disk. `memory`: it is lost when the process ends, because it could not be written or there is
 * no journal.
 */
export type ReplacedAnnotation = StoredAnnotation & { readonly durability: 'kept' | 'memory' };

/**
 * The ROIs of all open files. Neither the CSV nor a DICOM file is ever written: the user saves edits with the export,
 * and the journal keeps them until then.
 */
export interface Annotations {
  readonly importState: () => ImportProgress;
  /** Settles once, when the result of the import is final. Never rejects. */
  readonly imported: Promise<ImportOutcome>;
  /** Waits for the import, except for a file that was edited: its edit takes precedence over the import. */
  read(index: number): Promise<StoredAnnotation>;
  /** The JSON of `AnnotatedFilesResponse` as a snapshot. Waits for the import. */
  listFiles(): Promise<Iterable<string>>;
  /** The files with ROIs as a snapshot. Waits for the import. */
  listRois(): Promise<Iterable<Edit & { readonly index: number }>>;
  /**
   * Replaces all ROIs of a file at once by those of a JSON body, or rejects and changes nothing. Never waits for the
   * import. If-Match is compared when the edit is applied, not when the request arrives.
   */
  replace(
    index: number,
    body: Uint8Array,
    options?: { readonly ifMatch?: string | undefined },
  ): Promise<ReplacedAnnotation>;
  /** A snapshot as CSV. Waits for the import, unless only edits are requested. */
  exportCsv(options?: { readonly editsOnly?: boolean | undefined }): Promise<ExportedCsv>;
  journal(): JournalReport;
  /** Settles when it is known what an earlier run kept and the action requested at startup is done. Never rejects. */
  readonly recovered: Promise<RecoveryOutcome>;
  /** Restores or removes what an earlier run kept of the open files. */
  recover(action: RecoveryAction): Promise<JournalReport>;
  /** Edits that have not been exported. */
  countUnexported(): { readonly files: number; readonly rois: number };
  /** Rejects waiting calls with `shutting_down` and refuses edits, because they could no longer be exported. */
  close(): void;
  /** Called after `close`, when no request is left. Completes the journal on disk. */
  closeJournal(): Promise<void>;
}

export type ExportedCsv = {
  readonly texts: Iterable<string>;
  /** To be called when the client has received all of it: these edits no longer need to be kept. */
  readonly delivered: () => Promise<void>;
};

/** A smaller body is parsed and checked in a few milliseconds, sooner than a worker thread could start. */
const CHECKED_HERE_BYTES = 32 * 1024;

export function createAnnotations(options: AnnotationsOptions): Annotations {
  const { files, tasks, csv, instance, kind = 'rois' } = options;
  const format = FORMATS[kind];
  const edits = new Map<number, Edit>();
  const closing = new AbortController();
  const { imported, importState } = startImport({ files, tasks, csv, signal: closing.signal });
  const journal = options.journal && createJournal({ format, ...options.journal });
  const recovery =
    journal &&
    createRecovery<JournalRecord>({
      format,
      read: roiJournalReader(kind, tasks),
      folder: journal.folder,
      files,
      async restore(matches) {
        const byFile = new Map<number, PackedRois[]>();
        for (const { fileIndices, record } of matches) {
          for (const index of fileIndices) {
            const known = byFile.get(index);
            if (known === undefined) byFile.set(index, [record.rois]);
            else known.push(record.rois);
          }
        }
        const restoring = Array.from(byFile, async ([index, kept]) => {
          options.onRestore?.(index, kept);
          const current = edits.get(index);
          // An edit made meanwhile stays unchanged, and the restored ROIs that it lacks are appended.
          const lists = current === undefined ? kept : [current.rois, ...kept];
          return (await put(index, { rois: uniteRois(lists), revision: (current?.revision ?? 0) + 1 })) === 'kept';
        });
        return (await Promise.all(restoring)).every(Boolean);
      },
      isHeld: ({ fileIndices: [index = -1], record }) => {
        const current = edits.get(index);
        return current !== undefined && journal.trouble() === undefined && includesRois(current.rois, record.rois);
      },
    });
  let isRecovered = false;
  const recovered = recoverAtStart(recovery, options.journal?.kept).then((outcome) => {
    isRecovered = true;
    return outcome;
  });
  /** Readers must not see a state that the restore at startup is about to change. */
  const restored = options.journal?.kept === 'restore' ? recovered : undefined;

  /** The edit takes effect immediately. Settles when it has been written to the journal or could not be. */
  async function put(index: number, edit: Edit): Promise<ReplacedAnnotation['durability']> {
    options.onEdit?.(index, edit.rois);
    edits.set(index, edit);
    if (journal === undefined) return 'memory';
    const record = { file: toRecordedFile(files.get(index)), savedAtMs: Date.now(), rois: edit.rois };
    return (await journal.keep(index, record)) ? 'kept' : 'memory';
  }

  const report = () => reportJournal(journal, recovery);

  const stored = ({ rois, revision }: Edit): StoredAnnotation => ({ rois, etag: entityTag(instance, revision) });

  async function check(body: Uint8Array, file: AnnotatedFile): Promise<PackedRois> {
    const input = { body, bounds: boundsOfFile(file) };
    if (body.length <= CHECKED_HERE_BYTES) return checkBody(input);
    const { signal } = closing;
    return tasks.run(checkBodyTask, input, { signal }).catch((error: unknown) => {
      throw signal.aborted ? shuttingDown() : error;
    });
  }

  return {
    imported,
    recovered,
    // ROIs restored at startup are treated like imported ones, and clients wait for them in the same way.
    importState: () => (restored !== undefined && !isRecovered ? { state: 'waiting' } : importState()),

    async read(index) {
      files.get(index);
      await orClosed(restored, closing.signal);
      const edit = edits.get(index);
      if (edit !== undefined) return stored(edit);
      const outcome = await imported;
      // An edit made meanwhile is returned even if the import failed.
      return stored(
        edits.get(index) ?? { rois: findImported(requireImport(outcome), index) ?? NO_PACKED_ROIS, revision: 0 },
      );
    },

    async listFiles() {
      await orClosed(restored, closing.signal);
      const base = requireImport(await imported);
      return writeTouched({ base, edits: new Map(edits) }, instance);
    },

    async listRois() {
      await orClosed(restored, closing.signal);
      const base = requireImport(await imported);
      return touchedFiles({ base, edits: new Map(edits) });
    },

    async replace(index, body, { ifMatch } = {}) {
      const rois = await check(body, files.get(index));
      // Nothing is awaited between this point and the edit, so the tag compared is that of the ROIs being replaced.
      if (closing.signal.aborted) throw shuttingDown();
      const revision = edits.get(index)?.revision ?? 0;
      const current = entityTag(instance, revision);
      if (ifMatch !== undefined && !matchesEntityTag(ifMatch, current)) {
        throw new ViewerError(
          'stale_annotation',
          `the ROIs have changed in the meantime: their ETag is ${current}, not ${ifMatch}`,
        );
      }
      const edit = { rois, revision: revision + 1 };
      const durability = await put(index, edit);
      return { ...stored(edit), durability };
    },

    async exportCsv({ editsOnly = false } = {}) {
      await orClosed(restored, closing.signal);
      const base = editsOnly ? NOTHING_IMPORTED : requireImport(await imported);
      // Copied before anything is sent, because an edit made while the client is reading belongs to the next export.
      const exported = new Map(edits);
      return {
        texts: writeCsv({ base, edits: exported }, (index) => files.get(index).path),
        async delivered() {
          const isStill = (index: number) => edits.get(index)?.revision === exported.get(index)?.revision;
          await journal?.release([...exported.keys()].filter(isStill));
        },
      };
    },

    journal: report,

    async recover(action) {
      await orClosed(recovery?.searched, closing.signal);
      await recovery?.settle(action);
      return report();
    },

    countUnexported() {
      const { records, items } = journal?.countKept() ?? { records: 0, items: 0 };
      return { files: records, rois: items };
    },

    close() {
      closing.abort();
    },

    async closeJournal() {
      await recovery?.close();
      await journal?.close();
    },
  };
}

function requireImport(outcome: ImportOutcome): ImportedAnnotations {
  if (outcome.state === 'failed') throw new ViewerError('annotation_import_failed', outcome.message);
  if (outcome.state === 'stopped') throw shuttingDown();
  return outcome.state === 'done' ? outcome.annotations : NOTHING_IMPORTED;
}
