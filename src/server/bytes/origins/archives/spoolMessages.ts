import type { ArchiveReason } from './archiveProblem.ts';

/** Threads ask on this channel for the unpacked bytes of a member. The spool of the process answers. */
export const SPOOL_CHANNEL = 'negato spool';

/** What is to be unpacked: a range of a file of this machine. */
export type SpoolJob = {
  /** The same for the same bytes. */
  readonly key: string;
  readonly realPath: string;
  readonly start: number;
  readonly end: number;
  /** `zlib` has a header of two bytes before the deflated data. */
  readonly method: 'deflated' | 'zlib' | 'gzip';
  /** What the archive declares. Absent for gzip, which says it only after the data, and for data sets. */
  readonly size?: number;
  /** More is refused. Absent: what is in proportion to the packed bytes. */
  readonly mostBytes?: number;
  readonly crc?: number;
};

export type SpoolRequest = { readonly job: SpoolJob; readonly reply: SharedArrayBuffer };

/** The states of a reply: the first number of the shared memory. The length of the path follows, then the path. */
export const REPLY = { asked: 0, accepted: 1, ready: 2, refused: 3 } as const;
export const REPLY_HEAD = 8;
export const REPLY_BYTES = 8 * 1024;

/** Why a request was refused: the position in this list takes the place of the length. */
export const REFUSALS = ['archive_limit', 'archive_damaged'] as const satisfies readonly ArchiveReason[];
