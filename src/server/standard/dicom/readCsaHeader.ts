import { decodeLatin1 } from './characterSet.ts';

/** What a CSA header of Siemens says: the texts of each wanted name. */
export type CsaHeader = {
  readonly items: ReadonlyMap<string, readonly string[]>;
  /** Why the header could not be read to its end. */
  readonly problem: string | undefined;
};

/** More bytes are not looked at. Real headers have up to 200 KB. */
export const MOST_CSA_BYTES = 4 * 2 ** 20;
const MOST_TAGS = 1_024;
const MOST_ITEMS = 4_096;
const NAME_BYTES = 64;
const TAG_BYTES = 84;
const ITEM_BYTES = 16;

/**
 * Reads the wanted names of a CSA header, (0029,xx10) or (0029,xx20) of SIEMENS CSA HEADER. No standard describes it; both
 * forms are: a count of tags, and for each its name (64 bytes), multiplicity, VR, type, and count of items. Each item has
 * four numbers of 32 bits, of which one is its length, and its text, padded to four bytes. The form with `SV10` at the
 * beginning has the length in the second number. In the older one, it is in the first, with the number of items of the first
 * tag added to it. All numbers are little-endian.
 */
export function readCsaHeader(bytes: Uint8Array, wanted: ReadonlySet<string>): CsaHeader {
  const items = new Map<string, readonly string[]>();
  const fail = (problem: string): CsaHeader => ({ items, problem });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isNew = decodeLatin1(bytes.subarray(0, 4)) === 'SV10';
  let at = isNew ? 8 : 0;
  if (bytes.length < at + 8) return fail('it is too short');
  const tags = view.getUint32(at, true);
  at += 8;
  if (tags < 1 || tags > MOST_TAGS) return fail(`it has ${tags} elements`);
  let added = 0;
  for (let tag = 0; tag < tags; tag += 1) {
    if (at + TAG_BYTES > bytes.length) return fail('it ends within an element');
    const name = readText(bytes.subarray(at, at + NAME_BYTES));
    const values = view.getUint32(at + NAME_BYTES, true);
    const count = view.getUint32(at + NAME_BYTES + 12, true);
    if (count > MOST_ITEMS) return fail(`an element has ${count} items`);
    if (tag === 0 && !isNew) added = count;
    at += TAG_BYTES;
    const texts: string[] = [];
    for (let item = 0; item < count; item += 1) {
      if (at + ITEM_BYTES > bytes.length) return fail('it ends within an item');
      const length = isNew ? view.getUint32(at + 4, true) : view.getUint32(at, true) - added;
      at += ITEM_BYTES;
      const isInside = length >= 0 && at + length <= bytes.length;
      if (!isInside && isNew) return fail('it ends within an item');
      // Older headers have other numbers here where an element has no more items.
      if (!isInside) break;
      const isValue = length > 0 && (values === 0 || item < values);
      if (wanted.has(name) && isValue) texts.push(readText(bytes.subarray(at, at + length)));
      at += 4 * Math.ceil(length / 4);
    }
    if (wanted.has(name)) items.set(name, texts);
    if (items.size === wanted.size) break;
  }
  return { items, problem: undefined };
}

/** Up to the first zero byte. */
function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decodeLatin1(end < 0 ? bytes : bytes.subarray(0, end)).trim();
}
