import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import type { Domains } from '../../server/createDomains.ts';
import { askWhileBusy, VOLUME_WAIT_MS } from '../../server/machine/workers/askWhileBusy.ts';
import type { OutputFile } from './outputFolder.ts';

export type ExportDomains = Pick<
  Domains,
  'attachments' | 'catalog' | 'exports' | 'labelVolumes' | 'layers' | 'references' | 'series'
>;

/** What becomes one file, or several whose names begin in the same way. */
export type ExportJob = {
  /** An image of the series. */
  readonly of: DicomFile;
  /** What lies over it. */
  readonly title: string | undefined;
  readonly key: string;
  readonly ending: string;
  /** `suffix` is what comes between the name and the ending. Throws ViewerError. */
  readonly make: (signal: AbortSignal) => AsyncIterable<JobFile>;
};

export type JobFile = Omit<OutputFile, 'stem' | 'ending'> & { readonly suffix: string };

/** What is not exported although it was looked at. */
export type NotExported = { readonly what: string; readonly reason: string };

/** What there is to do. */
export type ExportJobs = {
  readonly jobs: readonly ExportJob[];
  readonly leftOut: readonly NotExported[];
};

/** Waits where the server would have said that it is busy. */
export function waitFor<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return askWhileBusy(work, () => ({ waitMs: VOLUME_WAIT_MS, signal }));
}
