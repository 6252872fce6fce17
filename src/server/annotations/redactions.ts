import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import { redact } from '../origins/origins.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { AnnotatedFile, AnnotatedFiles } from './annotatedFiles.ts';
import { type Annotations, createAnnotations, type JournalSettings } from './annotations.ts';
import { unpackRois } from './packedRois.ts';

type RedactedFile = AnnotatedFile & { readonly seriesInstanceUid: string };

interface RedactedFiles extends AnnotatedFiles {
  readonly files: readonly RedactedFile[];
  get(index: number): RedactedFile;
  whenRead(indices: Iterable<number>): Promise<void> | undefined;
  readonly gone: { readonly files: ReadonlySet<number> };
}

/**
 * Boxes of files that nobody may see. They have the form, the rules, the entity tags and the journal of ROIs; the next
 * run restores them without asking.
 */
export type RedactionStore = Pick<Annotations, 'read' | 'replace' | 'recovered' | 'close' | 'closeJournal'> & {
  /**
   * Gives the redactions of a file to all files of its series with as many rows and columns. Returns the indices of
   * these files, without its own. In a file with another number of frames, they are on all frames.
   */
  copyToSeries(index: number): Promise<readonly number[]>;
};

export function createRedactions({
  files,
  tasks,
  instance,
  journal,
}: {
  readonly files: RedactedFiles;
  readonly tasks: TaskRunner;
  readonly instance: string;
  readonly journal: JournalSettings | undefined;
}): RedactionStore {
  const store = createAnnotations({
    files,
    tasks,
    instance,
    journal,
    onEdit(index, rois) {
      const { roi_coords, roi_frames } = unpackRois(rois);
      redact(
        files.get(index).source,
        roi_coords.map((box, at) => ({ box, frames: roi_frames[at] ?? [] })),
      );
    },
  });

  return {
    read: (index) => store.read(index),
    replace: (...edit) => store.replace(...edit),
    recovered: store.recovered,
    close: () => store.close(),
    closeJournal: () => store.closeJournal(),

    async copyToSeries(index) {
      const source = files.get(index);
      const payload = unpackRois((await store.read(index)).rois);
      const onAllFrames: AnnotationPayload = { ...payload, roi_frames: [] };
      const copied: number[] = [];
      for (const [other, file] of files.files.entries()) {
        if (other % FILES_A_TURN === 0) await nextTurn();
        if (other === index || !isAlike(file, source)) continue;
        await files.whenRead([other]);
        if (files.gone.files.has(other)) continue;
        const isSameLength = file.frameCount === source.frameCount;
        await store.replace(other, encode(isSameLength ? payload : onAllFrames));
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
