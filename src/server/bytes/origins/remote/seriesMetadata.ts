import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { fieldOf, firstValue, parseDicomJson, toUid } from './dicomJsonValues.ts';
import { pathOf, type TargetOf } from './dicomwebSearch.ts';
import type { HttpAnswer } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import type { StoreEntry, StoreListing, StoreReader } from './remoteStore.ts';

/** The UIDs of study and series, and how many instances the server says it has. */
export type ListedSeries = { readonly uids: readonly string[]; readonly told: number | undefined };
export type KnownSeries = ListedSeries & { readonly first: string | undefined };

/**
 * The instances of a series by its metadata, which is one request for all of them. Undefined if it cannot be had, or
 * has fewer instances than the server has told of: searches find out.
 */
export type SeriesMetadata = (
  reader: StoreReader,
  series: KnownSeries,
  toldTags: StoreListing['toldTags'],
) => Promise<StoreEntry[] | undefined>;

export function createSeriesMetadata(
  target: TargetOf,
  entryOf: (uids: readonly string[]) => Extract<StoreEntry, { key: string }>,
): SeriesMetadata {
  /** Of requests for the metadata of a series. */
  const metadata = { sent: 0, failed: 0 };
  return async (reader, { uids, told, first }, toldTags) => {
    const fails = metadata.failed > MOST_FAILURES + metadata.sent / SENT_FOR_FAILURE;
    // Without the number of instances, nobody would notice that some are missing.
    if (toldTags === undefined || fails || told === undefined || told > MOST_TOLD) return undefined;
    const headers = { Accept: 'application/dicom+json', 'Accept-Encoding': 'gzip' };
    const entries = new Map<string, StoreEntry>();
    try {
      const answer = await reader.get(() => target(`${pathOf(uids)}/metadata`, headers), LONGEST_METADATA, {
        isOptional: true,
      });
      for await (const object of eachObject(await unpack(answer))) {
        const uid = toUid(firstValue(object, '00080018'));
        if (uid === undefined) throw noMetadata('an object has no UID');
        if (entries.size === MOST_TOLD) throw noMetadata('it has too many objects');
        if (entries.has(uid)) continue;
        // The first image is shown at once, so it is read at once.
        const isFirst = first === undefined ? entries.size === 0 : uid === first;
        const text = isFirst ? undefined : tellImage(object, toldTags);
        entries.set(uid, { ...entryOf([...uids, uid]), ...(text !== undefined && { told: text }) });
      }
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      metadata.failed += 1;
      return undefined;
    }
    if (entries.size < told) {
      metadata.failed += 1;
      return undefined;
    }
    metadata.sent += 1;
    if (first !== undefined) entries.delete(first);
    return [...entries.values()];
  };
}

/** Of the metadata of a series. A longer series is found by searches. */
const LONGEST_METADATA = 32 * 2 ** 20;
/** A server makes the metadata by reading each instance, and has to begin to answer within the time limit. */
const MOST_TOLD = 2_000;
/** A server may fail so often, and once more for each so many answers, before its metadata are no longer requested. */
const MOST_FAILURES = 2;
const SENT_FOR_FAILURE = 4;

/** The bytes of an answer that may be compressed. */
async function unpack({ headers, bytes }: HttpAnswer): Promise<Uint8Array> {
  if (headers['content-encoding'] !== 'gzip') return bytes;
  try {
    return await gunzipAsync(bytes, { maxOutputLength: LONGEST_METADATA });
  } catch (cause) {
    throw noMetadata('it cannot be unpacked', cause);
  }
}

const gunzipAsync = promisify<Uint8Array, ZlibOptions, Buffer>(gunzip);

/** Of an object in the metadata. */
const LONGEST_OBJECT = 2 ** 20;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The objects of a list in JSON, each parsed by itself: all of them at once would take several times the memory, and
 * hold up other requests. Throws `RemoteFailure` if it is no such list.
 */
async function* eachObject(bytes: Uint8Array): AsyncGenerator<unknown, void> {
  let depth = 0;
  let start = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
      continue;
    }
    if (byte === QUOTE) isText = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (CLOSING.has(byte)) depth -= 1;
    const ends = (byte === COMMA && depth === 1) || (CLOSING.has(byte) && depth === 0);
    if (!ends) continue;
    if (at - start > LONGEST_OBJECT) throw noMetadata('an object is too long');
    yield parseObject(bytes.subarray(start, at));
    start = at + 1;
    await nextTurn();
  }
  if (depth !== 0 || isText) throw noMetadata('it is cut off');
}

function parseObject(bytes: Uint8Array): unknown {
  try {
    return parseDicomJson(bytes);
  } catch (cause) {
    throw noMetadata('it is no JSON', cause);
  }
}

function noMetadata(why: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure('origin_unavailable', `the metadata of a series cannot be used: ${why}`, { cause });
}

/** These make an image of one frame. Others are few in a series, and have more that has to be read. */
const IMAGE_TAGS = { rows: '00280010', columns: '00280011', bits: '00280100', frames: '00280008' } as const;
/** Functional groups, and pixel data that are not integers. */
const OTHER_TAGS = ['52009229', '52009230', '7FE00008', '7FE00009'];
/** More than any wanted element of an image of one frame has. */
const MOST_VALUES = 64;
const LONGEST_TOLD = 4096;

/** The wanted elements of an image of one frame as JSON; undefined for anything else, and if a value is very long. */
function tellImage(object: unknown, tags: readonly string[]): string | undefined {
  const { rows, columns, bits, frames } = IMAGE_TAGS;
  if (OTHER_TAGS.some((tag) => fieldOf(object, tag) !== undefined)) return undefined;
  if ([rows, columns, bits].some((tag) => firstValue(object, tag) === undefined)) return undefined;
  if (Number(firstValue(object, frames) ?? 1) > 1) return undefined;
  const told: Record<string, readonly unknown[]> = {};
  for (const tag of tags) {
    const element = fieldOf(object, tag);
    if (element === undefined) continue;
    const values = fieldOf(element, 'Value');
    told[tag] =
      Array.isArray(values) && fieldOf(element, 'vr') !== 'SQ' ? values.slice(0, MOST_VALUES).map(toPlain) : [];
  }
  const text = JSON.stringify(told);
  return text.length > LONGEST_TOLD ? undefined : text;
}

/** A value without anything inside of it: a text, a number, or the groups of a name as one text. */
function toPlain(value: unknown): string | number | null {
  if (typeof value === 'string' || typeof value === 'number') return value;
  const groups = ['Alphabetic', 'Ideographic', 'Phonetic'].map((name) => fieldOf(value, name));
  const texts = groups.map((group) => (typeof group === 'string' ? group : ''));
  return texts.join('=').replace(/=+$/, '') || null;
}
