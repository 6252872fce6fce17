import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { unreadable } from './arrayHeader.ts';

/** A file in a zip file. */
export type ZipMember = {
  readonly name: string;
  readonly packing: 'raw' | 'deflate';
  /** Its packed bytes. */
  readonly start: number;
  readonly length: number;
};

const END = 0x06054b50;
const END_BYTES = 22;
const MOST_COMMENT = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const MOST_MEMBERS = 256;
const MOST_DIRECTORY = 2 ** 20;
const IN_64 = 0xffffffff;

/** The members of a zip file by its central directory. Throws for what is damaged or not supported. */
export function listZipMembers(source: ByteSource): readonly ZipMember[] {
  const { start, length, count } = findDirectory(source);
  if (count > MOST_MEMBERS || length > MOST_DIRECTORY)
    throw unreadable(`the file has ${count} members, which are too many`);
  const bytes = source.read(start, length).slice();
  if (bytes.length < length) throw unreadable('the list of members is truncated');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const members: ZipMember[] = [];
  let at = 0;
  for (let member = 0; member < count; member += 1) {
    if (at + ENTRY_BYTES > length || view.getUint32(at, true) !== ENTRY)
      throw unreadable('the list of members is damaged');
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const next = at + ENTRY_BYTES + nameLength + extraLength + view.getUint16(at + 32, true);
    if (next > length) throw unreadable('the list of members is damaged');
    const name = new TextDecoder('utf-8').decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength));
    if ((view.getUint16(at + 8, true) & 1) !== 0) throw unreadable('the members are encrypted');
    const method = view.getUint16(at + 10, true);
    if (method !== 0 && method !== 8) throw unreadable(`the compression method ${method} of a member is not supported`);
    const extra = bytes.subarray(at + ENTRY_BYTES + nameLength, at + ENTRY_BYTES + nameLength + extraLength);
    const [packed, local] = readLarge(extra, {
      unpacked: view.getUint32(at + 24, true),
      packed: view.getUint32(at + 20, true),
      local: view.getUint32(at + 42, true),
    });
    members.push({ name, packing: method === 0 ? 'raw' : 'deflate', ...locate(source, local, packed) });
    at = next;
  }
  return members;
}

function findDirectory(source: ByteSource): { start: number; length: number; count: number } {
  const tailStart = Math.max(0, source.size - END_BYTES - MOST_COMMENT);
  const tail = source.read(tailStart, source.size - tailStart).slice();
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== END) continue;
    const [count, length, start] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 12, true),
      view.getUint32(at + 16, true),
    ];
    if (start + length > tailStart + at) break;
    return { start, length, count };
  }
  throw unreadable('the file is no zip file, or it is truncated');
}

/** Sizes and places of 4 GiB and more are in an extra field, in a fixed order and only those that are needed. */
function readLarge(
  extra: Uint8Array,
  { unpacked, packed, local }: { readonly unpacked: number; readonly packed: number; readonly local: number },
): readonly [packed: number, local: number] {
  if (packed !== IN_64 && local !== IN_64) return [packed, local];
  const view = new DataView(extra.buffer, extra.byteOffset, extra.length);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let value = at + 4;
    const end = Math.min(extra.length, value + view.getUint16(at + 2, true));
    const [, large, place] = [unpacked, packed, local].map((small) => {
      if (small !== IN_64) return small;
      if (value + 8 > end) throw unreadable('the list of members is damaged');
      value += 8;
      return Number(view.getBigUint64(value - 8, true));
    });
    return [large!, place!];
  }
  throw unreadable('the list of members is damaged');
}

function locate(source: ByteSource, local: number, packed: number): { start: number; length: number } {
  const bytes = source.read(local, LOCAL_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < LOCAL_BYTES || view.getUint32(0, true) !== LOCAL)
    throw unreadable('a member is not where it should be');
  const start = local + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + packed > source.size) throw unreadable('a member is truncated');
  return { start, length: packed };
}
