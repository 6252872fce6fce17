import type { MemberRef } from '../origin.ts';
import type { ArchiveReason } from './archiveProblem.ts';

/** A file that an archive names, or the reason why it cannot be shown. Folders are left out. */
export type FoundMember =
  | Omit<MemberRef, 'kind' | 'of'>
  | { readonly name: string; readonly reason: MemberReason }
  | ArchiveEnd;

/** The archive cannot be read beyond this point. */
export type ArchiveEnd = { readonly ended: ArchiveReason };

/** More members are refused, so that an archive cannot hold the listing up for ever. */
export const MOST_MEMBERS = 2_000_000;

type MemberReason = ArchiveReason | 'not_dicom' | 'directory_entry_unreadable' | 'media_file_missing';
