import type { Job } from './job.ts';

/** Jobs that wait or run, by what other callers can join them with. */
export function createSharedJobs() {
  const jobs = new Map<string, Job>();
  return {
    find: (shareKey: string | undefined): Job | undefined => (shareKey === undefined ? undefined : jobs.get(shareKey)),
    add(job: Job) {
      if (job.shareKey !== undefined) jobs.set(job.shareKey, job);
    },
    /** Nobody joins it any more. */
    remove(job: Job) {
      // Another job can have the key by now.
      if (job.shareKey !== undefined && jobs.get(job.shareKey) === job) jobs.delete(job.shareKey);
    },
  };
}
