import type { SkipReason } from '../../shared/contract/files.ts';
import type { ByteSource } from './byteSource.ts';
import type { SourceRef } from './sourceRef.ts';

export type ListedFile = {
  /** A label: for a local file absolute and normalized, below the input as it was given. It is never opened. */
  readonly path: string;
  /** What is opened. */
  readonly ref: SourceRef;
};
export type SkippedPath = {
  readonly path: string;
  readonly reason: SkipReason;
  /** Of a file that is DICOM. */
  readonly ref?: SourceRef;
};
export type ListedEntry = ListedFile | SkippedPath;

/** What the user named, and whether folders inside folders are opened. */
export type Inputs = { readonly inputs: readonly string[]; readonly recursive: boolean };

export type ListOptions = { readonly recursive: boolean; readonly readMediaDirectory: ReadMediaDirectory };

/** The File IDs of a DICOMDIR, each by its components; undefined for any other file. */
export type ReadMediaDirectory = (source: ByteSource) => readonly (readonly string[])[] | 'damaged' | undefined;
