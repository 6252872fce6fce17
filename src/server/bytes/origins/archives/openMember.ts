import { statSync } from 'node:fs';
import type { ByteSource, UnpackWish } from '../byteSource.ts';
import { openFile } from '../openFile.ts';
import {
  type FileRef,
  type MemberIdentity,
  type MemberRef,
  type OpenOptions,
  type OpenSource,
  sealKnown,
  unsealKnown,
} from '../origin.ts';
import type { KnownSource } from '../sourceRef.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import { askSpool } from './askSpool.ts';
import { InflatedMember } from './inflatedMember.ts';
import { identityOfMember, keyOfMember, spoolJobOf } from './memberKey.ts';
import { unpackBytes } from './unpackedBytes.ts';
import { findZipData } from './zipMembers.ts';

/** A part of a local file. */
type Place = {
  /** The file that the user has. */
  readonly outer: OpenSource;
  /** The file with the bytes: the same, or a spooled one. */
  readonly file: OpenSource;
  readonly realPath: string;
  readonly start: number;
  readonly end: number;
};

type OpenMemberOptions = Pick<OpenOptions<MemberIdentity>, 'window' | 'patienceMs'>;

/** Opens a file inside of an archive. Throws the system's error, or ArchiveProblem. */
export function openMember(ref: MemberRef, options: OpenMemberOptions = {}): OpenSource {
  const place = locate(ref.of, options);
  try {
    const { start, end } = findData(place, ref);
    if (ref.method === 'stored' || ref.method === 'bare') return new OpenMember(ref, { ...place, start, end });
    const spool = () => openSpooled(place, ref, options);
    if (ref.method === 'gzip') return new OpenMember(ref, spool());
    let unpacked: OpenMember | undefined;
    const inflated = new InflatedMember({
      packed: place.file,
      start,
      length: end - start,
      size: ref.size,
      crc: ref.crc,
      unpack: () => (unpacked = new OpenMember(ref, spool())),
    });
    return new OpenMember(ref, { ...place, start, end }, inflated, () => unpacked?.close());
  } catch (error) {
    closePlace(place);
    throw error;
  }
}

/** The length of what a gzip file holds, which is known once it is unpacked. */
export function measureGzip(ref: FileRef | MemberRef): number {
  const place = locate(ref, {});
  try {
    return statSync(askSpool(spoolJobOf(wholeGzip(ref, place), { ...place, state: place.outer.state }))).size;
  } finally {
    closePlace(place);
  }
}

/** The only member of a gzip file. */
export function wholeGzip(of: FileRef | MemberRef, { start, end }: Pick<Place, 'start' | 'end'>, size = 0): MemberRef {
  return { kind: 'member', of, name: '', at: 0, room: end - start, packed: end - start, size, method: 'gzip' };
}

/** Where the bytes of an archive are. Compressed archives inside of archives are unpacked to a file. */
function locate(ref: FileRef | MemberRef, options: OpenMemberOptions): Place {
  if (ref.kind === 'file') {
    const file = openFile(ref, options.window);
    return { outer: file, file, realPath: ref.realPath, start: 0, end: file.size };
  }
  const around = locate(ref.of, options);
  try {
    const data = findData(around, ref);
    if (ref.method === 'stored' || ref.method === 'bare') return { ...around, ...data };
    return openSpooled(around, ref, options);
  } catch (error) {
    closePlace(around);
    throw error;
  }
}

function findData(around: Place, ref: MemberRef): { readonly start: number; readonly end: number } {
  const hasHeader = ref.method === 'stored' || ref.method === 'deflated';
  const at = hasHeader ? findZipData(partOf(around), ref) : ref.at;
  const start = around.start + at;
  const end = start + ref.packed;
  if (end > around.end) throw new ArchiveProblem('archive_damaged', 'the archive ends before this file does');
  return { start, end };
}

/** The file that is opened takes the place of the spooled file around it. */
function openSpooled(around: Place, ref: MemberRef, { window, patienceMs }: OpenMemberOptions): Place {
  const { start, end } = findData(around, ref);
  const job = spoolJobOf(ref, { state: around.outer.state, realPath: around.realPath, start, end });
  const realPath = askSpool(job, patienceMs);
  const file = openFile({ kind: 'file', realPath }, window);
  if (file.size !== ref.size) {
    file.close();
    throw new ArchiveProblem('archive_damaged', 'the unpacked file has another length than before');
  }
  if (around.file !== around.outer) around.file.close();
  return { outer: around.outer, file, realPath, start: 0, end: file.size };
}

/** The bytes of a place as a source of its own. */
function partOf({ file, start, end }: Place): ByteSource {
  const size = end - start;
  return {
    size,
    read: (position, length, spare) =>
      file.read(start + position, Math.max(0, Math.min(length, size - position)), spare),
    peek: (position, length) =>
      file
        .peek(start + position, Math.max(0, Math.min(length, size - position)))
        .subarray(0, Math.max(0, size - position)),
  };
}

function closePlace({ outer, file }: Place): void {
  if (file !== outer) file.close();
  outer.close();
}

class OpenMember implements OpenSource {
  readonly known: KnownSource;
  readonly size: number;
  readonly #ref: MemberRef;
  readonly #place: Place;
  readonly #bytes: ByteSource;
  readonly #onClose: (() => void) | undefined;

  constructor(ref: MemberRef, place: Place, bytes = partOf(place), onClose?: () => void) {
    const { identity } = unsealKnown(place.outer.known);
    if (identity.kind !== 'inode') throw new TypeError('an archive is a local file');
    this.known = sealKnown({ ref, identity: identityOfMember(ref, identity) });
    this.size = ref.size;
    this.#ref = ref;
    this.#place = place;
    this.#bytes = bytes;
    this.#onClose = onClose;
  }

  get state(): string {
    return keyOfMember(this.#ref, this.#place.outer.state);
  }
  get reads(): number {
    return this.#place.file.reads;
  }
  get bytesRead(): number {
    return this.#place.file.bytesRead;
  }
  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    return this.#bytes.read(position, length, spare);
  }
  peek(position: number, length: number): Uint8Array {
    return this.#bytes.peek(position, length);
  }
  unpack(wish: UnpackWish): ByteSource | undefined {
    // What is deflated twice is in no file as it is.
    if (this.#ref.method === 'deflated') return undefined;
    return unpackBytes({ ...this.#place, state: this.state }, wish, openFile);
  }
  isUnchanged(): boolean {
    return this.#place.outer.isUnchanged();
  }
  close(): void {
    this.#onClose?.();
    closePlace(this.#place);
  }
}
