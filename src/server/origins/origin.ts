import type { ViewerError } from '../../shared/contract/errors.ts';
import type { ByteSource } from './byteSource.ts';
import type { ListedEntry, ListOptions } from './listing.ts';
import type { KnownSource, SourceRef } from './sourceRef.ts';

/** A file of a file system that this machine has mounted. */
export type FileRef = {
  readonly kind: 'file';
  /** Without symbolic links. */
  readonly realPath: string;
};

/** Tells whether a path still leads to the file that was scanned. */
export type InodeIdentity = {
  readonly kind: 'inode';
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
};

/** What is inside a `SourceRef`: one member for each kind of origin. */
export type Ref = FileRef;
/** What a file was when it was scanned. Every kind knows the size. */
export type Identity = InodeIdentity;
/** What is inside a `KnownSource`. */
export type Known = { readonly ref: Ref; readonly identity: Identity };

/** What a reference leads to now. */
export type Seen = {
  readonly identity: Identity;
  /** The key of the file in its present state: it also differs after changes that the identity does not show. */
  readonly state: string;
};

/** A file that is open for readers that need many calls, such as those of DICOM. */
export interface OpenSource extends ByteSource {
  /** The file as it was when it was opened. */
  readonly known: KnownSource;
  /** The key of what may be kept of the file as long as it is in this state. */
  readonly state: string;
  /** Calls to the origin so far, and the bytes that they brought. */
  readonly reads: number;
  readonly bytesRead: number;
  /** Whether nobody has written to the file since it was opened. */
  isUnchanged(): boolean;
  close(): void;
}

/** A file that is open to be read without blocking the thread. */
export interface OpenStream {
  /** Undefined where it is no file any more. */
  look(): Promise<Seen | undefined>;
  /** Fills the buffer from `position` on; answers how many bytes there were. */
  read(position: number, buffer: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** One kind of place that files can be in. Files are opened and compared by its methods, and by nothing else. */
export interface Origin<OwnRef, OwnIdentity> {
  /** Makes what lists the files of an input. It answers undefined for an input of another kind. */
  createLister(options: ListOptions): (input: string) => Iterable<ListedEntry> | undefined;
  /** Throws what the system says. Sources that share a `window` must not be used at the same time. */
  open(ref: OwnRef, window?: Uint8Array): OpenSource;
  openStream(ref: OwnRef): Promise<OpenStream>;
  /** Looks without opening, and without blocking the thread for longer than a local disk does. */
  look(ref: OwnRef, expected: OwnIdentity): Seen | Promise<Seen>;
  isSame(found: OwnIdentity, expected: OwnIdentity): boolean;
  /** Differs between two files. */
  keyOf(ref: OwnRef, identity: OwnIdentity): string;
  /** The place as text, the same on every run. */
  placeOf(ref: OwnRef): string;
  /** A number that differs after a change, and is the same on every run. */
  changeMarkOf(identity: OwnIdentity): number;
  /** Says for a client why a file cannot be opened again. */
  explain(error: unknown): ViewerError;
}

/** An origin of any kind: its methods are given only references and identities of that kind. */
export type AnyOrigin = Origin<Ref, Identity>;

export function sealRef(ref: Ref): SourceRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a reference is sealed
  return ref as unknown as SourceRef;
}

export function unsealRef(ref: SourceRef): Ref {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `sealRef` has sealed it
  return ref as unknown as Ref;
}

export function sealKnown(known: Known): KnownSource {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a source is sealed
  return known as unknown as KnownSource;
}

export function unsealKnown(source: KnownSource): Known {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `sealKnown` has sealed it
  return source as unknown as Known;
}
