import type { AuditResponse } from '../../shared/contract/audits.ts';

/** All that is reported. */
export type AuditReport = {
  /** The program, which the report names. */
  readonly program: string;
  readonly createdAt: Date;
  /** What was chosen, in the words of the command line. */
  readonly choice: readonly string[];
  readonly isMasked: boolean;
  readonly audits: readonly AuditResponse[];
  /** Data URLs of images that a page shows, by the index of their file. */
  readonly pictures: ReadonlyMap<number, string>;
};
