import type { AnnotationJournalResponse, AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import {
  fetchAnnotations,
  fetchJournal,
  fetchRoiOverview,
  replaceAnnotations,
  type RoiOverview,
  type StoredRois,
} from '../../../kit/api/annotations.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { definePart } from '../../../kit/state/page.ts';
import { wait } from '../../../kit/state/wait.ts';

/** The server requests and the timer that ROIs need. */
export type RoiBackend = {
  /** Undefined when the import failed and the file was not edited, so the server has no answer. */
  readonly read: (fileIndex: number, signal: AbortSignal) => Promise<StoredRois | undefined>;
  readonly survey: (signal: AbortSignal) => Promise<RoiOverview>;
  readonly replace: (
    fileIndex: number,
    payload: AnnotationPayload,
    options: { readonly etag: string | undefined; readonly signal: AbortSignal },
  ) => Promise<StoredRois>;
  readonly readJournal: (signal: AbortSignal) => Promise<Pick<AnnotationJournalResponse, 'state'>>;
  /** Resolves after the time, or earlier when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

const SERVER: RoiBackend = {
  async read(fileIndex, signal) {
    try {
      return await fetchAnnotations(fileIndex, signal);
    } catch (error) {
      if (error instanceof RequestRefused && error.code === 'annotation_import_failed') return undefined;
      throw error;
    }
  },
  survey: fetchRoiOverview,
  replace: replaceAnnotations,
  readJournal: fetchJournal,
  wait,
};

export const roiBackendOf = definePart((): RoiBackend => ({ ...SERVER }));
