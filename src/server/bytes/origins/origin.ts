import type { ViewerError } from '../../../shared/contract/errors.ts';
import type { ByteSource } from './byteSource.ts';
import type { ListedEntry, ListOptions } from './listing.ts';
import type { ObjectIdentity, ObjectRef } from './remote/remoteMessages.ts';
import type { KnownSource, SourceRef } from './sourceRef.ts';

/** A file in a file system that is mounted on this machine. */
export type FileRef = {
  readonly kind: 'file';
  /** Has no symbolic links. */
  readonly realPath: string;
};

/** A file inside of an archive, which is a local file or itself inside of an archive. */
export type MemberRef = {
  readonly kind: 'member';
  readonly of: FileRef | MemberRef;
  /** As the archive names it. It is a label, and part of the place of the file; it never becomes a path. */
  readonly name: string;
  /** Where its header begins in the archive; in a tar, where its bytes begin. */
  readonly at: number;
  /** Number of bytes from `at` on that belong to no other member. */
  readonly room: number;
  /** Number of bytes in the archive, and after unpacking. */
  readonly packed: number;
  readonly size: number;
  readonly method: MemberMethod;
  /** CRC-32 of the unpacked bytes; absent where the archive has none. */
  readonly crc?: number;
};

/** `stored` has the header of a zip before its bytes, `bare` has none. */
export type MemberMethod = 'stored' | 'deflated' | 'bare' | 'gzip';

/** Identifies the scanned file, to check whether a path still leads to it. */
export type InodeIdentity = {
  readonly kind: 'inode';
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
};

/** A member is the same as long as its archive is. */
export type MemberIdentity = {
  readonly kind: 'member';
  readonly of: InodeIdentity;
  readonly at: number;
  readonly size: number;
};

/** The content of a `SourceRef`: one member of the union for each kind of origin. */
export type Ref = FileRef | MemberRef | ObjectRef;
/** The identity of a file when it was scanned. Every kind includes the size. */
export type Identity = InodeIdentity | MemberIdentity | ObjectIdentity;
/** The content of a `KnownSource`. */
export type Known = { readonly ref: Ref; readonly identity: Identity };

/** The current target of a reference. */
export type Seen = {
  readonly identity: Identity;
  /** Key of the file in its current state. It also differs after changes that the identity does not show. */
  readonly state: string;
};

/** A file opened for readers that make many small reads, such as DICOM readers. */
export interface OpenSource extends ByteSource {
  /** The file as it was when opened. */
  readonly known: KnownSource;
  /** Key for cached data of the file, valid while the file is in this state. */
  readonly state: string;
  /** Number of reads from the origin so far, and the bytes that they returned. */
  readonly reads: number;
  readonly bytesRead: number;
  /** Whether the file has not been written to since it was opened. */
  isUnchanged(): boolean;
  close(): void;
}

/** A file opened for reading without blocking the thread. */
export interface OpenStream {
  /** Undefined if it is no longer a regular file. */
  look(): Promise<Seen | undefined>;
  /** Fills the buffer with bytes from `position`; returns the number of bytes read. */
  read(position: number, buffer: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export type OpenOptions<OwnIdentity> = {
  /** Sources that share it must not be used at the same time. */
  readonly window?: Uint8Array | undefined;
  /** An origin that checks each read against this identity need not read to open. */
  readonly expected?: OwnIdentity | undefined;
  /** If the bytes have to be made first, the thread waits this long at most, and then throws `decode_busy`. */
  readonly patienceMs?: number | undefined;
};

/** A kind of location for files. Files are opened and compared only through its methods. */
export interface Origin<OwnRef, OwnIdentity> {
  /** Creates a function that lists the files of an input; it returns undefined for an input of another kind. */
  createLister(options: ListOptions): (input: string) => Iterable<ListedEntry> | undefined;
  /** The file will be opened next, or soon: what takes long can begin. */
  expect?(ref: OwnRef): void;
  /** What a listed file is now, without opening it; absent where that takes a request. Throws the system's error. */
  see?(ref: OwnRef): OwnIdentity;
  /** Throws the system's error. */
  open(ref: OwnRef, options?: OpenOptions<OwnIdentity>): OpenSource;
  openStream(ref: OwnRef): Promise<OpenStream>;
  /** Checks the file without opening it, and without blocking the thread for longer than a local disk does. */
  look(ref: OwnRef, expected: OwnIdentity): Seen | Promise<Seen>;
  isSame(found: OwnIdentity, expected: OwnIdentity): boolean;
  /** Different for different files. */
  keyOf(ref: OwnRef, identity: OwnIdentity): string;
  /** A file with this name in the same folder; undefined if that is no plain name, so that it cannot leave the folder. */
  beside(ref: OwnRef, name: string): OwnRef | undefined;
  /** The location as text, the same on every run. */
  placeOf(ref: OwnRef): string;
  /** A number that differs after a change and is the same on every run. */
  changeMarkOf(identity: OwnIdentity): number;
  /** Explains to a client why a file cannot be opened again. */
  explain(error: unknown): ViewerError;
}

/** An origin of any kind. Its methods must be called only with references and identities of the same kind. */
export type AnyOrigin = Origin<Ref, Identity>;

export function sealRef(ref: Ref): SourceRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where a reference is sealed
  return ref as unknown as SourceRef;
}

export function unsealRef(ref: SourceRef): Ref {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was sealed by `sealRef`
  return ref as unknown as Ref;
}

export function sealKnown(known: Known): KnownSource {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where a source is sealed
  return known as unknown as KnownSource;
}

export function unsealKnown(source: KnownSource): Known {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was sealed by `sealKnown`
  return source as unknown as Known;
}
