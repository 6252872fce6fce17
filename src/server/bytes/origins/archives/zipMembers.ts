import type { ByteSource } from '../byteSource.ts';
import type { MemberRef } from '../origin.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import { type ArchiveEnd, type FoundMember, MOST_MEMBERS } from './foundMember.ts';
import { decodeZipName } from './zipName.ts';

const END_SIGNATURE = 0x06054b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END64_LOCATOR_LENGTH = 20;
const END64_SIGNATURE = 0x06064b50;
const END64_LENGTH = 56;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const IN_ZIP64 = 0xffffffff;
const ZIP64_EXTRA = 0x0001;

const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const STORED = 0;
const DEFLATED = 8;
const MADE_ON_UNIX = 3;
const TYPE_OF_FILE = 0o170000;
const TYPE_LINK = 0o120000;

/** Deflate itself reaches 1032. Short files of zeros may. */
const HIGHEST_RATIO = 1_000;
const RATIO_FREE_BYTES = 2 ** 20;
/** Only what has to be unpacked is limited: a stored file takes no memory and no disk. */
const LARGEST_UNPACKED = 4 * 2 ** 30;
const MOST_UNPACKED_TOGETHER = 64 * 2 ** 30;

/** Where the list of members is. */
type Directory = {
  readonly start: number;
  readonly end: number;
  /** The number of bytes before the archive, such as a program that unpacks it. */
  readonly before: number;
  readonly count: number;
};

/**
 * The members of a zip archive, in the order of its directory. Their headers are not read yet; `findZipData` does that.
 * Throws ArchiveProblem if there is no directory.
 */
export function* listZip(source: ByteSource): Generator<FoundMember, void, void> {
  const directory = findDirectory(source);
  const starts = collectStarts(source, directory);
  let count = 0;
  let unpackedTogether = 0;
  for (const bytes of readEntries(source, directory)) {
    count += 1;
    if ('ended' in bytes) {
      yield bytes;
      return;
    }
    const entry = parseEntry(bytes, directory.before);
    if (entry.isFolder) continue;
    const { name } = entry;
    const refusal = refuseEntry(entry);
    if (refusal !== undefined) {
      yield { name, reason: refusal };
      continue;
    }
    const { at, packed, size, crc, method } = entry;
    if (method === DEFLATED) unpackedTogether += size;
    if (unpackedTogether > MOST_UNPACKED_TOGETHER) yield { name, reason: 'archive_limit' };
    else {
      const room = starts.after(at) - at;
      yield { name, at, room, packed, size, crc, method: method === DEFLATED ? 'deflated' : 'stored' };
    }
  }
  // The count of a directory without zip64 is modulo 65,536.
  if ((count & 0xffff) !== (directory.count & 0xffff)) yield { ended: 'archive_damaged' };
}

type Entry = {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly isElsewhere: boolean;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
};

function refuseEntry(entry: Entry): Extract<FoundMember, { reason: unknown }>['reason'] | undefined {
  const { flags, method, packed, size } = entry;
  if ((flags & ENCRYPTED) !== 0) return 'archive_encrypted';
  if (entry.isElsewhere || (method !== STORED && method !== DEFLATED)) return 'archive_unsupported';
  // Nothing is unpacked to a place of its own, so a link leads nowhere.
  if (entry.isLink) return 'directory_entry_unreadable';
  if (method === STORED) return packed === size ? undefined : 'archive_damaged';
  if (size > LARGEST_UNPACKED) return 'archive_limit';
  return size > RATIO_FREE_BYTES && size > packed * HIGHEST_RATIO ? 'archive_limit' : undefined;
}

/**
 * Checks the header before the bytes of a member, which must agree with the directory, and returns where the bytes
 * begin. The bytes must end before the next member: members that share bytes are how a small archive becomes huge.
 */
export function findZipData(source: ByteSource, member: MemberRef): number {
  const { at, room, packed, name, method } = member;
  const fixed = viewOf(source.read(at, LOCAL_LENGTH));
  if (fixed.byteLength < LOCAL_LENGTH || fixed.getUint32(0, true) !== LOCAL_SIGNATURE) throw damaged(name);
  const flags = fixed.getUint16(6, true);
  const isAgreed = fixed.getUint16(8, true) === (method === 'deflated' ? DEFLATED : STORED);
  const nameLength = fixed.getUint16(26, true);
  const extraLength = fixed.getUint16(28, true);
  const localName = decodeZipName(source.read(at + LOCAL_LENGTH, nameLength), flags);
  const length = LOCAL_LENGTH + nameLength + extraLength;
  if (!isAgreed || (flags & ENCRYPTED) !== 0 || localName !== name || length + packed > room) throw damaged(name);
  return at + length;
}

function damaged(name: string): ArchiveProblem {
  return new ArchiveProblem('archive_damaged', `the archive is damaged at ${name}`);
}

export function beginsZip(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  if (first !== 0x50 || second !== 0x4b) return false;
  return (third === 3 && fourth === 4) || (third === 5 && fourth === 6) || (third === 7 && fourth === 8);
}

function findDirectory(source: ByteSource): Directory {
  const tailAt = Math.max(0, source.size - END_LENGTH - LONGEST_COMMENT);
  const tail = source.read(tailAt, source.size - tailAt).slice();
  const view = viewOf(tail);
  for (let at = tail.length - END_LENGTH; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_LENGTH + view.getUint16(at + 20, true) !== tail.length) continue;
    const end = tailAt + at;
    const disks = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
    const plain = {
      count: view.getUint16(at + 10, true),
      length: view.getUint32(at + 12, true),
      start: view.getUint32(at + 16, true),
    };
    const found = findDirectory64(source, end) ?? { ...plain, disks, end };
    if (found.disks.some((disk) => disk !== 0)) {
      throw new ArchiveProblem('archive_unsupported', 'the archive is one part of several');
    }
    const start = found.end - found.length;
    const before = start - found.start;
    if (start < 0 || before < 0) break;
    return { start, end: found.end, before, count: found.count };
  }
  throw new ArchiveProblem('archive_damaged', 'the archive has no directory: it may be incomplete');
}

/** Of an archive with more than 65,535 members or 4 GiB; undefined for any other. */
function findDirectory64(source: ByteSource, end: number) {
  const locatorAt = end - END64_LOCATOR_LENGTH;
  if (locatorAt < 0) return undefined;
  const locator = viewOf(source.read(locatorAt, END64_LOCATOR_LENGTH).slice());
  if (locator.getUint32(0, true) !== END64_LOCATOR_SIGNATURE) return undefined;
  const disk = locator.getUint32(4, true);
  const declared = Number(locator.getBigUint64(8, true));
  // Bytes before the archive move everything; the record itself is then directly before its locator.
  for (const at of [declared, locatorAt - END64_LENGTH]) {
    if (at < 0 || at + END64_LENGTH > locatorAt) continue;
    const record = viewOf(source.read(at, END64_LENGTH).slice());
    if (record.getUint32(0, true) !== END64_SIGNATURE) continue;
    return {
      count: Number(record.getBigUint64(32, true)),
      length: Number(record.getBigUint64(40, true)),
      start: Number(record.getBigUint64(48, true)),
      disks: [disk, record.getUint32(16, true), record.getUint32(20, true)],
      end: at,
    };
  }
  throw new ArchiveProblem('archive_damaged', 'the directory of the archive is not where it should be');
}

/** Where the members begin, in order, to tell how much room each of them has. */
function collectStarts(source: ByteSource, directory: Directory) {
  const starts: number[] = [];
  for (const entry of readEntries(source, directory)) {
    if (!('ended' in entry)) starts.push(readSizes(entry, viewOf(entry)).at + directory.before);
  }
  const sorted = Float64Array.from(starts).toSorted();
  return {
    /** The start of the next member. Two members with the same start have no room. */
    after(at: number): number {
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle]! < at) low = middle + 1;
        else high = middle;
      }
      return sorted[low + 1] ?? directory.start;
    },
  };
}

const PIECE_BYTES = 256 * 1024;
/** A name, the extra fields and a comment. */
const LONGEST_ENTRY = ENTRY_LENGTH + 3 * 0xffff;

/** The bytes of each entry, valid for as long as they are needed. */
function* readEntries(source: ByteSource, { start, end }: Directory): Generator<Uint8Array | ArchiveEnd, void, void> {
  let piece = new Uint8Array(0);
  let pieceAt = start;
  let count = 0;
  for (let at = start; at < end;) {
    const isInside = at + Math.min(LONGEST_ENTRY, end - at) <= pieceAt + piece.length;
    if (!isInside) {
      // A copy, because the reader of the next member may move the window.
      piece = source.read(at, Math.min(Math.max(PIECE_BYTES, LONGEST_ENTRY), end - at)).slice();
      pieceAt = at;
    }
    const bytes = piece.subarray(at - pieceAt);
    const view = viewOf(bytes);
    const isEntry = bytes.length >= ENTRY_LENGTH && view.getUint32(0, true) === ENTRY_SIGNATURE;
    const length = isEntry
      ? ENTRY_LENGTH + view.getUint16(28, true) + view.getUint16(30, true) + view.getUint16(32, true)
      : Infinity;
    if (length > bytes.length) {
      yield { ended: 'archive_damaged' };
      return;
    }
    count += 1;
    if (count > MOST_MEMBERS) {
      yield { ended: 'archive_limit' };
      return;
    }
    yield bytes.subarray(0, length);
    at += length;
  }
}

function parseEntry(bytes: Uint8Array, before: number): Entry {
  const view = viewOf(bytes);
  const flags = view.getUint16(8, true);
  const nameLength = view.getUint16(28, true);
  const name = decodeZipName(bytes.subarray(ENTRY_LENGTH, ENTRY_LENGTH + nameLength), flags);
  const sizes = readSizes(bytes, view);
  const isUnix = view.getUint8(5) === MADE_ON_UNIX;
  const mode = view.getUint32(38, true) >>> 16;
  return {
    name,
    isFolder: name.endsWith('/'),
    isLink: isUnix && (mode & TYPE_OF_FILE) === TYPE_LINK,
    isElsewhere: sizes.disk !== 0,
    flags,
    method: view.getUint16(10, true),
    crc: view.getUint32(16, true),
    packed: sizes.packed,
    size: sizes.size,
    at: sizes.at + before,
  };
}

/** The numbers that are too large for the entry are in an extra field, in this order, and only those. */
function readSizes(bytes: Uint8Array, view: DataView) {
  const packed = view.getUint32(20, true);
  const size = view.getUint32(24, true);
  const disk = view.getUint16(34, true);
  const at = view.getUint32(42, true);
  if (size !== IN_ZIP64 && packed !== IN_ZIP64 && at !== IN_ZIP64) return { packed, size, disk, at };
  const extraAt = ENTRY_LENGTH + view.getUint16(28, true);
  const extraEnd = extraAt + view.getUint16(30, true);
  for (let field = extraAt; field + 4 <= extraEnd;) {
    const length = view.getUint16(field + 2, true);
    const valuesEnd = Math.min(field + 4 + length, extraEnd, bytes.length);
    if (view.getUint16(field, true) === ZIP64_EXTRA) {
      let next = field + 4;
      const take = (short: number): number => {
        if (short !== IN_ZIP64 || next + 8 > valuesEnd) return short;
        next += 8;
        return Number(view.getBigUint64(next - 8, true));
      };
      return { size: take(size), packed: take(packed), at: take(at), disk: disk === 0xffff ? 0 : disk };
    }
    field += 4 + length;
  }
  return { packed, size, disk, at };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
