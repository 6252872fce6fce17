import { gunzipSync, inflateRawSync } from 'node:zlib';
import { listZipMembers } from '../../src/server/images/attachments/zipMembers.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';

/** Shorter values are found by chance in pictures and numbers. */
export const SHORTEST_SOUGHT = 6;

/**
 * Finds values in whole answers, however they are written there: as they are, in UTF-8, in UTF-16, escaped for JSON or
 * addresses, in base64, and in packed parts.
 */
export function createLeakSearch(values: Iterable<string>): (answer: Uint8Array) => string[] {
  const patterns = new Map<number, { readonly bytes: Buffer; readonly value: string }[]>();
  for (const value of new Set(values)) {
    if (value.length < SHORTEST_SOUGHT) throw new Error(`${value} is too short to be sought`);
    for (const bytes of formsOf(value)) {
      const key = bytes.readUInt32BE(0);
      const others = patterns.get(key);
      if (others === undefined) patterns.set(key, [{ bytes, value }]);
      else others.push({ bytes, value });
    }
  }
  // Most places of an answer begin no value, which this says without a look into the map.
  const begins = new Uint8Array(2 ** 16);
  for (const key of patterns.keys()) begins[key >>> 16] = 1;
  const search = (bytes: Buffer): string[] => {
    const found = new Set<string>();
    for (let at = 0; at + 4 <= bytes.length; at += 1) {
      if (begins[(bytes[at]! << 8) | bytes[at + 1]!] === 0) continue;
      for (const pattern of patterns.get(bytes.readUInt32BE(at)) ?? []) {
        const end = at + pattern.bytes.length;
        if (end > bytes.length || pattern.bytes.compare(bytes, at, end) !== 0) continue;
        if (isInNumber(bytes, at, end)) continue;
        found.add(pattern.value);
      }
    }
    return [...found];
  };
  return (answer) => unpack(Buffer.from(answer)).flatMap(search);
}

function formsOf(value: string): readonly Buffer[] {
  const texts = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), escapeAll(value)]);
  const date = /^(\d{4})(\d\d)(\d\d)$/.exec(value);
  if (date !== null) texts.add(date.slice(1).join('-'));
  const little = Buffer.from(value, 'utf16le');
  const forms = [...texts].map((text) => Buffer.from(text)).concat(little, Buffer.from(little).swap16());
  // eslint-disable-next-line no-control-regex -- what latin1 does not have becomes another text
  if (/^[\u0000-\u00ff]*$/.test(value)) forms.push(Buffer.from(value, 'latin1'));
  // Of base64, the part that does not depend on what comes before and after.
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    const part = whole.slice(before === 0 ? 0 : 4);
    if (part.length >= 8) forms.push(Buffer.from(part));
  }
  return forms;
}

/** As JSON writers do that write ASCII only. */
function escapeAll(value: string): string {
  return value.replaceAll(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether the digits found are part of a longer number, such as a pseudonym. */
function isInNumber(bytes: Buffer, start: number, end: number): boolean {
  const isDigit = (at: number) => bytes[at]! >= 0x30 && bytes[at]! <= 0x39;
  return (isDigit(start) && isDigit(start - 1)) || (isDigit(end - 1) && isDigit(end));
}

/** The bytes, and those of a gzip file or of the members of a zip file. */
function unpack(bytes: Buffer): readonly Buffer[] {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return [bytes, ...unpack(gunzipSync(bytes))];
  if (bytes.toString('latin1', 0, 4) !== 'PK\u0003\u0004') return [bytes];
  const members = listZipMembers(bufferSource(bytes)).map(({ packing, start, length }) => {
    const packed = bytes.subarray(start, start + length);
    return packing === 'raw' ? packed : inflateRawSync(packed);
  });
  return [bytes, ...members.flatMap(unpack)];
}
