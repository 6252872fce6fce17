import type { SkipReason } from '../../../shared/contract/files.ts';
import type { ByteSource } from './byteSource.ts';
import type { SourceRef } from './sourceRef.ts';

export type ListedFile = {
  /** A label: for a local file it is absolute and normalized, below the input as given. It is never opened. */
  readonly path: string;
  /** The file to open. */
  readonly ref: SourceRef;
  /**
   * What its server has told of it, so that it can be listed before it is read: JSON with the first values of elements
   * by tag (PS3.18 F.2.2). A text, because it passes through several threads.
   */
  readonly told?: string;
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

export type ListOptions = Pick<Inputs, 'recursive' | 'archives'> & {
  readonly readMediaDirectory: ReadMediaDirectory;
  /**
   * Tags, in eight hexadecimal digits, of what is wanted of servers that tell of many files at a time. Absent: all files
   * have to be read.
   */
  readonly toldTags?: readonly string[] | undefined;
  /**
   * Whether some of the files are never read, so that those on other machines are requested only when they are expected
   * or opened. False if absent: they are requested as soon as they are listed.
   */
  readonly readsOnDemand?: boolean;
};

/** The File IDs of a DICOMDIR, each as a list of components; undefined for any other file. */
export type ReadMediaDirectory = (source: ByteSource) => readonly (readonly string[])[] | 'damaged' | undefined;
