import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnnotationPayload } from '../../../shared/contract/annotations.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { createKeptRois, type KeptRois, roiJournalReader, type StoredAnnotation } from '../annotations/keptRois.ts';
import { NO_PACKED_ROIS, type PackedRois, subtractRois, uniteRois, unpackRois } from '../annotations/packedRois.ts';
import type { RoiRecord } from '../annotations/roiFormat.ts';
import type { AnnotatedFile, AnnotatedFiles } from '../journal/annotatedFiles.ts';
import type { UnreadJournal } from '../journal/findJournals.ts';
import { nameJournal } from '../journal/journalFile.ts';
import type { JournalReport, JournalSettings, KeptStore } from '../journal/keptStore.ts';
import type { KeptEdits, RecoveryAction } from '../journal/recovery.ts';
import { type CoveredFiles, createRedactionCovers } from './redactionCovers.ts';
import { REDACTION_FORMAT } from './redactionFormat.ts';

type RedactedFile = AnnotatedFile & { readonly seriesInstanceUid: string };

interface RedactedFiles extends AnnotatedFiles, CoveredFiles {
  readonly files: readonly RedactedFile[];
  get(index: number): RedactedFile;
  whenRead(indices: Iterable<number>): Promise<void> | undefined;
  readonly gone: { readonly files: ReadonlySet<number> };
}

/**
 * Boxes of files that nobody may see. They have the form, the rules, the entity tags and the journal of ROIs. Those of
 * earlier runs and of other servers are in effect from the start.
 */
export type RedactionStore = Pick<KeptRois, 'replace'> &
  Pick<KeptStore<RoiRecord>, 'recovered' | 'close' | 'closeJournal'> & {
    read(index: number): Promise<StoredAnnotation>;
    /** Settles when the redactions of earlier runs are known, or after a while if that takes long. Never rejects. */
    readonly ready: Promise<void>;
    /**
     * Gives the redactions of a file to all files of its series with as many rows and columns. Returns the indices of
     * these files, without its own. In a file with another number of frames, they are on all frames.
     */
    copyToSeries(index: number): Promise<readonly number[]>;
    journal(): RedactionReport;
    /** Confirms or removes the redactions of earlier runs, or goes on without those that could not be read. */
    recover(action: RecoveryAction): Promise<RedactionReport>;
  };

/** `kept`: what an earlier run has left and this one has restored, until the user has confirmed or removed it. */
export type RedactionReport = JournalReport & {
  /** Boxes of other servers that still run. */
  readonly ofOthers: number;
};

export function createRedactions({
  files,
  tasks,
  instance,
  journal,
  onUnread,
}: {
  readonly files: RedactedFiles;
  readonly tasks: TaskRunner;
  readonly instance: string;
  readonly journal: Omit<JournalSettings, 'kept' | 'name'> | undefined;
  /** Called with the journals that cannot be read, when that changes. */
  readonly onUnread?: ((unread: readonly UnreadJournal[]) => void) | undefined;
}): RedactionStore {
  const ownName = nameJournal('this process', REDACTION_FORMAT);
  const covers = createRedactionCovers({
    files,
    folder: journal?.folder,
    ownName,
    read: roiJournalReader(REDACTION_FORMAT, tasks),
    onUnread,
  });
  /** What was restored, by file. */
  const restored = new Map<number, readonly PackedRois[]>();
  let kept: KeptEdits | undefined;
  let isRecovered = false;
  const {
    kept: store,
    edits,
    stored,
    replace,
  } = createKeptRois({
    files,
    tasks,
    instance,
    journal: journal && { ...journal, name: ownName, kept: 'restore' },
    format: REDACTION_FORMAT,
    onEdit: (index, rois) => covers.setOwn(index, rois),
    onRestore: (index, rois) => void restored.set(index, [...(restored.get(index) ?? []), ...rois]),
  });
  const recovered = store.recovered.then((outcome) => {
    isRecovered = true;
    if (outcome.state === 'restored') ({ kept } = outcome);
    return outcome;
  });

  const report = (): RedactionReport => {
    const found = store.journal();
    return {
      ...found,
      kept: kept ?? found.kept,
      unread: covers.unread(),
      ofOthers: covers.countOfRunning(),
    };
  };

  const read = async (index: number): Promise<StoredAnnotation> => {
    files.get(index);
    await store.restored();
    return stored(edits.get(index) ?? { rois: NO_PACKED_ROIS, revision: 0 });
  };

  return {
    ready: covers.ready,
    read,
    replace,
    recovered,
    close: store.close,
    async closeJournal() {
      await store.closeJournal();
      covers.close();
    },
    journal: report,

    async recover(action) {
      // Pixels must not wait for the scan.
      if (action === 'restore') await covers.refresh();
      else await covers.setAside();
      if (action === 'forget') await store.recover('forget');
      // What is found meanwhile is restored after the scan.
      else if (isRecovered) await store.recover('restore');
      if (action === 'forget') {
        await covers.refresh();
        for (const [index, rois] of restored) {
          const left = subtractRois((await read(index)).rois, uniteRois(rois));
          await replace(index, encode(left));
        }
      }
      if (action !== 'set_aside') {
        kept = undefined;
        restored.clear();
      }
      return report();
    },

    async copyToSeries(index) {
      const source = files.get(index);
      const payload = unpackRois((await read(index)).rois);
      const onAllFrames: AnnotationPayload = { ...payload, roi_frames: [] };
      const copied: number[] = [];
      for (const [other, file] of files.files.entries()) {
        if (other % FILES_A_TURN === 0) await nextTurn();
        if (other === index || !isAlike(file, source)) continue;
        await files.whenRead([other]);
        if (files.gone.files.has(other)) continue;
        const isSameLength = file.frameCount === source.frameCount;
        await replace(other, encode(isSameLength ? payload : onAllFrames));
        copied.push(other);
      }
      return copied;
    },
  };
}

const FILES_A_TURN = 1_000;

function isAlike(file: RedactedFile, { seriesInstanceUid, rows, columns }: RedactedFile): boolean {
  const isSeries = seriesInstanceUid !== '' && file.seriesInstanceUid === seriesInstanceUid;
  return isSeries && file.rows === rows && file.columns === columns && file.frameCount > 0;
}

function encode(payload: AnnotationPayload): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(payload));
}
