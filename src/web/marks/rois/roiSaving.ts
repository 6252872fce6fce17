import { checkAnnotation, NO_ROIS } from '../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../shared/contract/annotations.ts';
import { ERROR_STATUS } from '../../../shared/contract/errorStatus.ts';
import { RequestRefused } from '../../api/send.ts';
import { isSamePayload, toPayload } from './roi.ts';
import type { RoiBackend } from './roiBackend.ts';
import type { FileRois, SaveState } from './roiState.ts';

export type RoiSavingOptions = {
  readonly backend: RoiBackend;
  readonly find: (fileIndex: number) => FileRois | undefined;
  readonly change: (fileIndex: number, change: Partial<FileRois>) => void;
};

/** Sends the ROIs on the screen to the server, one request at a time for each file, until both are equal. */
export interface RoiSaving {
  save(fileIndex: number): void;
  /** Repeats waiting saves at once. */
  retry(): void;
  /** Abandons all saves in flight. */
  stop(): void;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

type Job = {
  readonly signal: AbortSignal;
  /** Payloads sent without an answer: the server may hold one of them. */
  unconfirmed: AnnotationPayload[];
  failures: number;
  pause: AbortController | undefined;
};

export function createRoiSaving({ backend, find, change }: RoiSavingOptions): RoiSaving {
  const jobs = new Map<number, Job>();
  let ending = new AbortController();

  const work = async (fileIndex: number, job: Job): Promise<void> => {
    while (jobs.get(fileIndex) === job) {
      const file = find(fileIndex);
      if (file === undefined) {
        jobs.delete(fileIndex);
        return;
      }
      const checked = checkAnnotation(toPayload(file.rois), file.bounds);
      // Compared in the form that the server returns: a list of all frames comes back empty.
      const isEqual = checked.ok && isSamePayload(checked.payload, file.stored?.payload ?? NO_ROIS);
      if (isEqual && job.unconfirmed.length === 0) {
        end(fileIndex, { kind: 'saved' });
        return;
      }
      if (!checked.ok) {
        end(fileIndex, { kind: 'refused', error: new Error(checked.problem.message) });
        return;
      }
      await send(fileIndex, { job, file, payload: checked.payload });
      if (job.failures === 0 || jobs.get(fileIndex) !== job) continue;
      job.pause = new AbortController();
      const pauseMs = RETRY_MS[Math.min(job.failures, RETRY_MS.length) - 1] ?? 0;
      await backend.wait(pauseMs, AbortSignal.any([job.signal, job.pause.signal]));
      job.pause = undefined;
    }
  };

  /** State and job end in the same step, so that a later edit finds no job and starts one. */
  const end = (fileIndex: number, save: SaveState) => {
    jobs.delete(fileIndex);
    change(fileIndex, { save });
  };

  const send = async (fileIndex: number, { job, file, payload }: Sending) => {
    if (file.save.kind !== 'retrying') change(fileIndex, { save: { kind: 'saving' } });
    try {
      job.unconfirmed.push(payload);
      const stored = await backend.replace(fileIndex, payload, { etag: file.stored?.etag, signal: job.signal });
      if (job.signal.aborted) return;
      Object.assign(job, { unconfirmed: [], failures: 0 });
      change(fileIndex, { stored, save: { kind: 'saving' } });
    } catch (error) {
      if (job.signal.aborted) return;
      if (isRefusal(error) && error.code === 'stale_annotation') await meetOther(fileIndex, { job, file, payload });
      else noteFailure(fileIndex, job, error);
    }
  };

  /** The server holds other ROIs than those that the edit started from. */
  const meetOther = async (fileIndex: number, { job, file }: Sending) => {
    try {
      const theirs = await backend.read(fileIndex, job.signal);
      if (job.signal.aborted) return;
      if (theirs === undefined || theirs.instance !== file.stored?.instance) {
        // In the new run this index may refer to another file. The list of files will tell.
        noteFailure(fileIndex, job, new Error('the server was restarted'));
        return;
      }
      job.failures = 0;
      const base = file.stored.payload;
      if ([base, ...job.unconfirmed].some((ours) => isSamePayload(ours, theirs.payload))) {
        job.unconfirmed = [];
        change(fileIndex, { stored: theirs, save: { kind: 'saving' } });
      } else {
        end(fileIndex, { kind: 'conflict', base, theirs });
      }
    } catch (error) {
      if (!job.signal.aborted) noteFailure(fileIndex, job, error);
    }
  };

  const noteFailure = (fileIndex: number, job: Job, thrown: unknown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (isRefusal(error) && ERROR_STATUS[error.code] < 500) {
      end(fileIndex, { kind: 'refused', error });
      return;
    }
    job.failures++;
    change(fileIndex, { save: { kind: 'retrying', error } });
  };

  return {
    save(fileIndex) {
      const running = jobs.get(fileIndex);
      if (running !== undefined) {
        running.pause?.abort();
        return;
      }
      if (find(fileIndex)?.save.kind === 'conflict') return;
      const job: Job = { signal: ending.signal, unconfirmed: [], failures: 0, pause: undefined };
      jobs.set(fileIndex, job);
      void work(fileIndex, job);
    },
    retry() {
      for (const { pause } of jobs.values()) pause?.abort();
    },
    stop() {
      ending.abort();
      ending = new AbortController();
      jobs.clear();
    },
  };
}

type Sending = { readonly job: Job; readonly file: FileRois; readonly payload: AnnotationPayload };

function isRefusal(error: unknown): error is RequestRefused {
  return error instanceof RequestRefused;
}
