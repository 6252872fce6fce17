import { ViewerError } from '../../../shared/contract/errors.ts';
import type { WireRoiMark } from '../../../shared/contract/marks.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { AnnotatedFiles } from '../journal/annotatedFiles.ts';
import type { JournalSettings, KeptStore } from '../journal/keptStore.ts';
import { shuttingDown } from '../journal/shuttingDown.ts';
import { createKeptRois, type KeptRois, type StoredAnnotation } from './keptRois.ts';
import {
  countRois,
  findImported,
  type ImportedAnnotations,
  NO_PACKED_ROIS,
  NOTHING_IMPORTED,
  type RoiSource,
  touchedFiles,
} from './packedRois.ts';
import { ROI_FORMAT, type RoiRecord } from './roiFormat.ts';
import { type ImportOutcome, type ImportProgress, startImport } from './startImport.ts';
import { writeCsv, writeTouched } from './writeRois.ts';

export type AnnotationsOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** The CSV to import after the scan. Its relative paths start at `startDirectory`. */
  readonly csv?: { readonly path: string; readonly startDirectory: string } | undefined;
  /** Differs between runs of the server, so that an entity tag of an earlier run never matches. */
  readonly instance: string;
  /** Without it, edits are only held in memory. */
  readonly journal?: JournalSettings | undefined;
};

/**
 * The ROIs of all open files. Neither the CSV nor a DICOM file is ever written: the user saves edits with the export,
 * and the journal keeps them until then.
 */
export type Annotations = Pick<KeptRois, 'replace'> &
  Pick<KeptStore<RoiRecord>, 'journal' | 'recovered' | 'recover' | 'close' | 'closeJournal'> & {
    importState(): ImportProgress;
    /** Settles once, when the result of the import is final. Never rejects. */
    readonly imported: Promise<ImportOutcome>;
    /** Waits for the import, except for a file that was edited: its edit takes precedence over the import. */
    read(index: number): Promise<StoredAnnotation>;
    /** The JSON of `AnnotatedFilesResponse` as a snapshot. Waits for the import. */
    listFiles(): Promise<Iterable<string>>;
    /** The ROIs of all files, or of one of them, as a snapshot. Waits for the import. */
    listRois(file: number | undefined): Promise<Iterable<WireRoiMark>>;
    /** Grows with every change of the ROIs that `listRois` lists without waiting. */
    revision(): number;
    /** A snapshot as CSV. Waits for the import, unless only edits are requested. */
    exportCsv(options?: { readonly editsOnly?: boolean | undefined }): Promise<ExportedCsv>;
    /** Edits that have not been exported. */
    countUnexported(): { readonly files: number; readonly rois: number };
  };

export type ExportedCsv = {
  readonly texts: Iterable<string>;
  /** To be called when the client has received all of it: these edits no longer need to be kept. */
  readonly delivered: () => Promise<void>;
};

export function createAnnotations({ files, tasks, csv, instance, journal }: AnnotationsOptions): Annotations {
  const { kept, edits, stored, replace } = createKeptRois({ files, tasks, instance, journal, format: ROI_FORMAT });
  const { imported, importState } = startImport({ files, tasks, csv, signal: kept.signal });

  /** Copied, because an edit made while a client is reading belongs to the next answer. */
  const snapshot = async (editsOnly = false) => {
    await kept.restored();
    const base = editsOnly ? NOTHING_IMPORTED : requireImport(await imported);
    return { base, edits: new Map(edits) };
  };

  return {
    imported,
    recovered: kept.recovered,
    // ROIs restored at startup are treated like imported ones, and clients wait for them in the same way.
    importState: () => (kept.isRestoring() ? { state: 'waiting' } : importState()),

    async read(index) {
      files.get(index);
      await kept.restored();
      const edit = edits.get(index);
      if (edit !== undefined) return stored(edit);
      const outcome = await imported;
      // An edit made meanwhile is returned even if the import failed.
      return stored(
        edits.get(index) ?? { rois: findImported(requireImport(outcome), index) ?? NO_PACKED_ROIS, revision: 0 },
      );
    },

    listFiles: async () => writeTouched(await snapshot(), instance),
    listRois: async (file) => listBoxes(await snapshot(), file),
    revision() {
      let revision = Number(importState().state === 'done');
      for (const edit of edits.values()) revision += edit.revision;
      return revision;
    },
    replace,

    async exportCsv({ editsOnly = false } = {}) {
      const exported = await snapshot(editsOnly);
      return {
        texts: writeCsv(exported, (index) => files.get(index).path),
        async delivered() {
          const isStill = (index: number) => edits.get(index)?.revision === exported.edits.get(index)?.revision;
          await kept.release([...exported.edits.keys()].filter(isStill));
        },
      };
    },

    journal: kept.journal,
    recover: kept.recover,

    countUnexported() {
      const { records, items } = kept.countKept();
      return { files: records, rois: items };
    },

    close: kept.close,
    closeJournal: kept.closeJournal,
  };
}

function* listBoxes(source: RoiSource, file: number | undefined): Generator<WireRoiMark> {
  for (const { index, rois } of touchedFiles(source)) {
    if (file !== undefined && file !== index) continue;
    const { coords, frameStarts, frames } = rois;
    for (let roi = 0; roi < countRois(rois); roi += 1) {
      const [ymin = 0, xmin = 0, ymax = 0, xmax = 0] = coords.subarray(roi * 4, roi * 4 + 4);
      const own = [...frames.subarray(frameStarts[roi], frameStarts[roi + 1])];
      yield { kind: 'roi', file_index: index, roi, box: [ymin, xmin, ymax, xmax], frame_indices: own };
    }
  }
}

function requireImport(outcome: ImportOutcome): ImportedAnnotations {
  if (outcome.state === 'failed') throw new ViewerError('annotation_import_failed', outcome.message);
  if (outcome.state === 'stopped') throw shuttingDown();
  return outcome.state === 'done' ? outcome.annotations : NOTHING_IMPORTED;
}
