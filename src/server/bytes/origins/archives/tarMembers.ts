import type { ByteSource } from '../byteSource.ts';
import { type FoundMember, MOST_MEMBERS } from './foundMember.ts';

const BLOCK = 512;
const CHECKSUM_AT = 148;
const CHECKSUM_LENGTH = 8;
/** Of names and other attributes that are stored before a member. */
const LONGEST_ATTRIBUTES = 1024 * 1024;
/** Links are resolved only among so many files, which takes memory. */
const MOST_LINK_TARGETS = 100_000;

/** What comes before a member and replaces fields of its header. */
type Attributes = { name?: string; size?: number; isSparse?: boolean };
type Place = { readonly at: number; readonly size: number };

/**
 * The members of a tar archive, found by moving from header to header: ustar, the attributes of POSIX (pax), and long
 * names of GNU tar.
 */
export function* listTar(source: ByteSource): Generator<FoundMember, void, void> {
  const targets = new Map<string, Place>();
  let forAll: Attributes = {};
  let next: Attributes & { target?: string } = {};
  let count = 0;
  for (let at = 0; at + BLOCK <= source.size;) {
    const header = source.read(at, BLOCK).slice();
    if (header.every((byte) => byte === 0)) return;
    if (!hasTarChecksum(header)) {
      yield { ended: 'archive_damaged' };
      return;
    }
    count += 1;
    if (count > MOST_MEMBERS) {
      yield { ended: 'archive_limit' };
      return;
    }
    const type = String.fromCharCode(header[156] || 0x30);
    const dataAt = at + BLOCK;
    const declared = readNumber(header.subarray(124, 136));
    const isMember = !ATTRIBUTE_TYPES.has(type);
    const size = (isMember ? (next.size ?? forAll.size) : undefined) ?? declared;
    // Links and folders have no bytes, whatever their size says.
    const length = WITHOUT_BYTES.has(type) ? 0 : size;
    if (!Number.isSafeInteger(length) || length < 0) {
      yield { ended: 'archive_damaged' };
      return;
    }
    at = dataAt + Math.ceil(length / BLOCK) * BLOCK;
    if (!isMember) {
      if (length > LONGEST_ATTRIBUTES || dataAt + length > source.size) {
        yield { ended: length > LONGEST_ATTRIBUTES ? 'archive_limit' : 'archive_damaged' };
        return;
      }
      const value = source.read(dataAt, length);
      if (type === 'L') next.name = cString(value);
      else if (type === 'K') next.target = cString(value);
      else if (type === 'g') forAll = { ...forAll, ...parsePax(value) };
      else next = { ...next, ...parsePax(value) };
      continue;
    }
    const attributes = { ...forAll, ...next };
    next = {};
    const name = (attributes.name ?? nameOf(header)).replace(/^\.\//, '').replaceAll('\0', '\ufffd');
    if (type === '5' || name.endsWith('/')) continue;
    if (type === '1') {
      const target = targets.get((attributes.target ?? cString(header.subarray(157, 257))).replace(/^\.\//, ''));
      if (target === undefined) yield { name, reason: 'directory_entry_unreadable' };
      else yield { name, ...toMember(target) };
    } else if (type === '2') yield { name, reason: 'directory_entry_unreadable' };
    else if (DEVICES.has(type)) yield { name, reason: 'not_dicom' };
    else if (!FILE_TYPES.has(type) || attributes.isSparse === true) yield { name, reason: 'archive_unsupported' };
    else if (dataAt + size > source.size) yield { name, reason: 'archive_damaged' };
    else {
      const place = { at: dataAt, size };
      if (targets.size < MOST_LINK_TARGETS) targets.set(name, place);
      yield { name, ...toMember(place) };
    }
  }
}

const ATTRIBUTE_TYPES: ReadonlySet<string> = new Set(['L', 'K', 'x', 'g']);
const WITHOUT_BYTES: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5', '6']);
const DEVICES: ReadonlySet<string> = new Set(['3', '4', '6']);
const FILE_TYPES: ReadonlySet<string> = new Set(['0', '7']);

function toMember({ at, size }: Place) {
  return { at, size, room: size, packed: size, method: 'bare' } as const;
}

/** Whether the block is a header of a tar archive. The sum counts its own field as spaces. */
export function hasTarChecksum(header: Uint8Array): boolean {
  if (header.length < BLOCK) return false;
  const declared = readNumber(header.subarray(CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_LENGTH));
  let sum = 0;
  let signedSum = 0;
  for (let i = 0; i < BLOCK; i += 1) {
    const isOwn = i >= CHECKSUM_AT && i < CHECKSUM_AT + CHECKSUM_LENGTH;
    const byte = isOwn ? 0x20 : header[i]!;
    sum += byte;
    // Some old programs added signed bytes.
    signedSum += byte < 0x80 ? byte : byte - 0x100;
  }
  // Only spaces: a block of zeros has this sum, and a declared sum of 0.
  return declared === sum || declared === signedSum;
}

/** Octal digits, or a number in two's complement if the first bit is set. */
function readNumber(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) === 0) {
    const digits = cString(field).trim();
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
  }
  let value = field[0] === 0xff ? -1 : field[0]! & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return value;
}

function nameOf(header: Uint8Array): string {
  const name = cString(header.subarray(0, 100));
  // Old GNU archives use these bytes for something else, and their magic ends in a space.
  const isPosix = cString(header.subarray(257, 263)) === 'ustar';
  const prefix = isPosix ? cString(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.buffer, bytes.byteOffset, end < 0 ? bytes.length : end).toString('utf8');
}

/** Records of the form `LENGTH KEY=VALUE\n`, where the length counts all of it. */
function parsePax(bytes: Uint8Array): Attributes & { target?: string } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Attributes & { target?: string } = {};
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(text.toString('latin1', at, space));
    if (!Number.isInteger(length) || length <= space - at + 1 || at + length > text.length) break;
    const record = text.toString('utf8', space + 1, at + length - 1);
    at += length;
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    const value = record.slice(equals + 1);
    if (key === 'path') found.name = value;
    else if (key === 'linkpath') found.target = value;
    else if (key === 'size') found.size = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    else if (key.startsWith('GNU.sparse.')) found.isSparse = true;
  }
  return found;
}
