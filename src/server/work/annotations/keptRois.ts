import { addTo } from '../../../shared/addTo.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type AnnotatedFiles, boundsOfFile } from '../journal/annotatedFiles.ts';
import { type EntityTag, entityTag, matchesEntityTag } from '../journal/entityTag.ts';
import type { FoundJournal } from '../journal/findJournals.ts';
import type { JournalFormat, KeptRecords } from '../journal/journalFile.ts';
import { createKeptStore, type Durability, type JournalSettings, type KeptStore } from '../journal/keptStore.ts';
import { toRecordedFile } from '../journal/recordedFile.ts';
import type { JournalMatch } from '../journal/recovery.ts';
import { checkBodyTask, readRoiJournalTask } from './annotationTasks.ts';
import { checkBody } from './checkBody.ts';
import { type Edit, includesRois, type PackedRois, uniteRois } from './packedRois.ts';
import { readRoiJournal, type RoiRecord } from './roiFormat.ts';

export type KeptRoisOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** Differs between runs of the server, so that an entity tag of an earlier run never matches. */
  readonly instance: string;
  readonly format: JournalFormat<RoiRecord>;
  /** Without it, edits are only held in memory. */
  readonly journal: JournalSettings | undefined;
  /** Called with the ROIs of a file before they take effect. What it throws refuses them. */
  readonly onEdit?: (index: number, rois: PackedRois) => void;
  /** Called with the ROIs that an earlier run kept of a file, before they are added. */
  readonly onRestore?: (index: number, rois: readonly PackedRois[]) => void;
};

export type StoredAnnotation = { readonly rois: PackedRois; readonly etag: EntityTag };
export type ReplacedAnnotation = StoredAnnotation & { readonly durability: Durability };

/** Boxes on the frames of files, which are edited file by file: ROIs, or redactions. */
export interface KeptRois {
  readonly kept: KeptStore<RoiRecord>;
  /** By file index. */
  readonly edits: ReadonlyMap<number, Edit>;
  /** An edit with its entity tag. */
  readonly stored: (edit: Edit) => StoredAnnotation;
  /**
   * Replaces all ROIs of a file at once by those of a JSON body, or rejects and changes nothing. If-Match is compared when
   * the edit is applied, not when the request arrives.
   */
  readonly replace: (
    index: number,
    body: Uint8Array,
    options?: { readonly ifMatch?: string | undefined },
  ) => Promise<ReplacedAnnotation>;
}

export function createKeptRois(options: KeptRoisOptions): KeptRois {
  const { files, tasks, instance, format, journal, onEdit, onRestore } = options;
  const edits = new Map<number, Edit>();
  const kept = createKeptStore<RoiRecord>({
    files,
    tasks,
    format,
    settings: journal,
    read: roiJournalReader(format, tasks),
    restore: (matches) =>
      Array.from(groupByFile(matches), ([index, found]) => {
        onRestore?.(index, found);
        const current = edits.get(index);
        // An edit made meanwhile stays unchanged, and the restored ROIs that it lacks are appended.
        const lists = current === undefined ? found : [current.rois, ...found];
        return put(index, { rois: uniteRois(lists), revision: (current?.revision ?? 0) + 1 });
      }),
    isHeld({ fileIndices: [index = -1], record }) {
      const current = edits.get(index);
      return current !== undefined && includesRois(current.rois, record.rois);
    },
  });

  /** The edit takes effect immediately. Settles when it has been written to the journal or could not be. */
  async function put(index: number, edit: Edit): Promise<Durability> {
    onEdit?.(index, edit.rois);
    edits.set(index, edit);
    return kept.keep(index, { file: toRecordedFile(files.get(index)), savedAtMs: Date.now(), rois: edit.rois });
  }

  const stored = ({ rois, revision }: Edit): StoredAnnotation => ({ rois, etag: entityTag(instance, revision) });

  return {
    kept,
    edits,
    stored,
    async replace(index, body, { ifMatch } = {}) {
      const rois = await kept.readBody({ body, bounds: boundsOfFile(files.get(index)) }, checkBody, checkBodyTask);
      // Nothing is awaited between this point and the edit, so the tag compared is that of the ROIs being replaced.
      kept.requireOpen();
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
  };
}

function groupByFile(matches: readonly JournalMatch<RoiRecord>[]): ReadonlyMap<number, PackedRois[]> {
  const byFile = new Map<number, PackedRois[]>();
  for (const { fileIndices, record } of matches) {
    for (const index of fileIndices) addTo(byFile, index, record.rois);
  }
  return byFile;
}

/** A journal up to this length is read in a few milliseconds, sooner than a worker thread could start. */
const READ_HERE_BYTES = 64 * 1024;
const NEVER_CANCELLED = { throwIfCancelled: () => undefined };

export function roiJournalReader(
  { header }: JournalFormat<RoiRecord>,
  tasks: TaskRunner,
): (journal: FoundJournal) => Promise<KeptRecords<RoiRecord> | undefined> {
  return ({ path, size }) =>
    size <= READ_HERE_BYTES
      ? readRoiJournal({ path, header }, NEVER_CANCELLED)
      : tasks.run(readRoiJournalTask, { path, header }, { signal: undefined });
}
