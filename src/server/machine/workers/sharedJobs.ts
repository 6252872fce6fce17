import type { Job } from './job.ts';

/** Jobs that wait or run, by what other callers can join them with. */
export interface SharedJobs {
  find(shareKey: string | undefined): Job | undefined;
  add(job: Job): void;
  /** Nobody joins it any more. */
  remove(job: Job): void;
}

export function createSharedJobs(): SharedJobs {
  const jobs = new Map<string, Job>();
  return {
    find: (shareKey) => (shareKey === undefined ? undefined : jobs.get(shareKey)),
    add(job) {
      if (job.shareKey !== undefined) jobs.set(job.shareKey, job);
    },
    remove(job) {
      // Another job can have the key by now.
      if (job.shareKey !== undefined && jobs.get(job.shareKey) === job) jobs.delete(job.shareKey);
    },
  };
}
