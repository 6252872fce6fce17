import type { SkipReason } from '../../shared/contract/files.ts';
import type { ByteSource } from './byteSource.ts';
import type { SourceRef } from './sourceRef.ts';

export type ListedFile = {
  /** A label: for a local file it is absolute and normalized, below the input as given. It is never opened. */
  readonly path: string;
  /** The file to open. */
  readonly ref: SourceRef;
};
export type SkippedPath = {
  readonly path: string;
  readonly reason: SkipReason;
  /** Set if the file is DICOM. */
  readonly ref?: SourceRef;
};
export type ListedEntry = ListedFile | SkippedPath;

/** The inputs named by the user, and what is opened on the way. */
export type Inputs = {
  readonly inputs: readonly string[];
  readonly recursive: boolean;
  /** Whether archives in folders are opened; an archive that the user named always is. True if absent. */
  readonly archives?: boolean;
};

export type ListOptions = Pick<Inputs, 'recursive' | 'archives'> & { readonly readMediaDirectory: ReadMediaDirectory };

/** The File IDs of a DICOMDIR, each as a list of components; undefined for any other file. */
export type ReadMediaDirectory = (source: ByteSource) => readonly (readonly string[])[] | 'damaged' | undefined;
