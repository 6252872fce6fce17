import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { parseJson } from '../../../machine/workers/parseJson.ts';
import type { HttpAnswer, HttpTarget } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import { isUidInAddress, labelOfDicomweb } from './remoteInput.ts';
import {
  LONGEST_LISTING,
  type RemoteStore,
  type StoreEntry,
  type StoreListing,
  type StoreReader,
} from './remoteStore.ts';
import { createWebAuthorization, type FindToken } from './webAuthorization.ts';
import { hostOf } from './webHost.ts';

export type DicomwebStoreOptions = {
  /** The address of the service; its query is that of the first search. */
  readonly url: URL;
  /** The UIDs of the study, the series and the instance that are opened, as far as the user named them. */
  readonly uids: readonly string[];
  readonly findToken: FindToken;
};

/** One instance without parts, in ranges: not every server can. */
const ALONE = 'application/dicom; transfer-syntax=*';
/** What every server has to be able to send. PS3.18 8.7.3.5. */
const IN_PARTS = 'multipart/related; type="application/dicom"; transfer-syntax=*';
/** A frame as it is stored. PS3.18 8.7.3.3.2. */
const FRAME = 'multipart/related; type="application/octet-stream"; transfer-syntax=*';

/**
 * A DICOMweb server: searches find the instances (QIDO-RS), which are read as they are stored (WADO-RS). Only addresses
 * that are made of UIDs are requested, never one that the server names.
 *
 * A key is the UIDs of study, series and instance with slashes between them.
 */
export function createDicomwebStore({ url, uids, findToken }: DicomwebStoreOptions): RemoteStore {
  const host = hostOf(url);
  const root = url.pathname.replace(/\/+$/, '');
  const authorization = createWebAuthorization(url, findToken);
  /** Whether instances are requested alone. */
  let isAlone = true;
  /** Of requests for the metadata of a series. */
  const metadata = { sent: 0, failed: 0 };
  const label = (path: readonly string[]) => labelOfDicomweb(url, path);
  const target = async (path: string, headers: Readonly<Record<string, string>>): Promise<HttpTarget> => {
    return { host, path: root + path, headers: { ...headers, ...(await authorization.headers()) } };
  };

  /** One page of a search. `parents` are the UIDs of what is searched. */
  async function search(reader: StoreReader, parents: readonly string[], page: SearchPage): Promise<readonly Found[]> {
    const { resource, uid, count } = LEVELS[parents.length]!;
    const query = new URLSearchParams(page.filters);
    query.set('limit', String(page.limit));
    query.set('offset', String(page.offset));
    // Not every server reads a plus sign as a space.
    const path = `${pathOf(parents)}/${resource}?${query.toString().replaceAll('+', '%20')}`;
    const answer = await reader.get(() => target(path, { Accept: 'application/dicom+json' }), LONGEST_LISTING, {
      acceptsNothing: true,
    });
    if (answer.status === 204) return [];
    return parseResults(answer.bytes, url).map((result) => ({
      uid: toUid(firstValue(result, uid)),
      count: count === undefined ? undefined : toCount(firstValue(result, count)),
    }));
  }

  /**
   * All results of a search, page by page. Servers may send shorter pages than requested, so the last one is known by the
   * number of results that the server has told, or else by being empty.
   */
  async function* searchAll(
    reader: StoreReader,
    parents: readonly string[],
    { filters = NO_FILTERS, told }: { readonly filters?: URLSearchParams; readonly told?: number | undefined } = {},
  ): AsyncGenerator<readonly Found[], void> {
    const wanted = toCount(filters.get('limit')) ?? Infinity;
    const first = toCount(filters.get('offset')) ?? 0;
    const seen = new Set<string>();
    let unnamed = 0;
    for (let offset = first, left = wanted; left > 0;) {
      const limit = Math.min(PAGE, left);
      const found = await search(reader, parents, { filters, limit, offset });
      const fresh = mergeCopies(found).filter(({ uid }) => uid === undefined || !seen.has(uid));
      for (const { uid } of fresh) {
        if (uid === undefined) unnamed += 1;
        else seen.add(uid);
      }
      // A server that does not know offsets sends the same results again.
      if (fresh.every(({ uid }) => uid === undefined) && offset > first) return;
      yield fresh.slice(0, left);
      if (found.length === 0 || (told !== undefined && seen.size + unnamed >= told)) return;
      if (seen.size + unnamed > MOST_RESULTS) {
        throw new RemoteFailure('origin_unavailable', `${label(parents)} has more than ${MOST_RESULTS} results`);
      }
      offset += found.length;
      left -= found.length;
    }
  }

  async function* list(reader: StoreReader, { toldTags }: StoreListing): AsyncGenerator<readonly StoreEntry[], void> {
    const filters = url.searchParams;
    const [study, series, instance] = uids;
    if (instance !== undefined) yield [entryOf(uids)];
    else if (study !== undefined && series !== undefined) {
      const told = filters.size === 0 && toldTags !== undefined ? await findCount(reader, study, series) : undefined;
      const known = await tellSeries(reader, { uids, told, first: undefined }, toldTags);
      if (known !== undefined) return yield known;
      let count = 0;
      for await (const found of searchAll(reader, uids, { filters })) {
        count += found.length;
        yield found.map(({ uid }) => (uid === undefined ? unnamedIn(uids) : entryOf([...uids, uid])));
      }
      if (count === 0) yield [nothingFound()];
    } else yield* listSeries(reader, toldTags);
  }

  /** First one instance of each series, so that the list of series is complete soon; then the others. */
  async function* listSeries(
    reader: StoreReader,
    toldTags: StoreListing['toldTags'],
  ): AsyncGenerator<readonly StoreEntry[], void> {
    const unfinished: KnownSeries[] = [];
    let count = 0;
    let failure: RemoteFailure | undefined;
    try {
      for await (const found of findSeries(reader)) {
        for await (const { entries, series } of inLanes(found, (one) => findFirst(reader, one))) {
          count += 1;
          if (series !== undefined) unfinished.push(series);
          yield entries;
        }
      }
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      // What was found is listed to its end.
      failure = error;
    }
    if (count === 0 && failure === undefined) yield [nothingFound()];
    const lanes = toldTags === undefined ? LANES : METADATA_LANES;
    for await (const entries of inLanes(unfinished, (one) => findOthers(reader, one, toldTags), lanes)) yield entries;
    if (failure !== undefined) throw failure;
  }

  /** All series, in the order of their studies. */
  async function* findSeries(reader: StoreReader): AsyncGenerator<readonly (Series | StoreEntry)[], void> {
    const filters = url.searchParams;
    const [only] = uids;
    if (only !== undefined) {
      for await (const found of searchAll(reader, uids, { filters })) yield toSeries(only, found);
      return;
    }
    const ofStudy = ({ uid: study, count: told }: Found): Promise<readonly (Series | StoreEntry)[]> => {
      if (study === undefined) return Promise.resolve([unnamedIn([])]);
      return orEntry([study], async (series: (Series | StoreEntry)[]) => {
        let named = 0;
        for await (const found of searchAll(reader, [study], { told })) {
          series.push(...toSeries(study, found));
          named += found.length;
        }
        if (told !== undefined && named < told) series.push(missingIn([study]));
      });
    };
    for await (const studies of searchAll(reader, [], { filters })) yield* inLanes(studies, ofStudy);
  }

  async function findFirst(reader: StoreReader, series: Series | StoreEntry): Promise<FirstOfSeries> {
    if ('path' in series) return { entries: [series] };
    const { uids: parents, told } = series;
    const page = { filters: NO_FILTERS, limit: 1, offset: 0 };
    const found = await orEntry(parents, async (results: Found[]) => {
      results.push(...(await search(reader, parents, page)));
    });
    const [one] = found;
    if (one === undefined) return { entries: told === undefined || told === 0 ? [] : [missingIn(parents)] };
    if ('path' in one) return { entries: [one] };
    if (one.uid === undefined) return { entries: [], series: { ...series, first: undefined } };
    const entries = [entryOf([...parents, one.uid])];
    return told === 1 ? { entries } : { entries, series: { ...series, first: one.uid } };
  }

  /** How many instances the server says a series has. */
  async function findCount(reader: StoreReader, study: string, series: string): Promise<number | undefined> {
    const page = { filters: new URLSearchParams({ SeriesInstanceUID: series }), limit: 1, offset: 0 };
    const found = await orEntry([study, series], async (results: Found[]) => {
      results.push(...(await search(reader, [study], page)));
    });
    return found.flatMap((one) => ('uid' in one && one.uid === series ? [one.count] : []))[0];
  }

  /**
   * The instances of a series by its metadata, which is one request for all of them. Undefined if it cannot be had, or
   * has fewer instances than the server has told of: searches find out.
   */
  async function tellSeries(
    reader: StoreReader,
    { uids: parents, told, first }: KnownSeries,
    toldTags: StoreListing['toldTags'],
  ): Promise<StoreEntry[] | undefined> {
    const fails = metadata.failed > MOST_FAILURES + metadata.sent / SENT_FOR_FAILURE;
    // Without the number of instances, nobody would notice that some are missing.
    if (toldTags === undefined || fails || told === undefined || told > MOST_TOLD) return undefined;
    const headers = { Accept: 'application/dicom+json', 'Accept-Encoding': 'gzip' };
    const entries = new Map<string, StoreEntry>();
    try {
      const answer = await reader.get(() => target(`${pathOf(parents)}/metadata`, headers), LONGEST_METADATA, {
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
        entries.set(uid, { ...entryOf([...parents, uid]), ...(text !== undefined && { told: text }) });
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
  }

  function findOthers(
    reader: StoreReader,
    series: KnownSeries,
    toldTags: StoreListing['toldTags'],
  ): Promise<StoreEntry[]> {
    const { uids: parents, told, first } = series;
    return orEntry(parents, async (entries: StoreEntry[]) => {
      const known = await tellSeries(reader, series, toldTags);
      if (known !== undefined) return void entries.push(...known);
      let count = 0;
      for await (const found of searchAll(reader, parents, { told })) {
        count += found.length;
        for (const { uid } of found) {
          if (uid === undefined) entries.push(unnamedIn(parents));
          else if (uid !== first) entries.push(entryOf([...parents, uid]));
        }
      }
      if (told !== undefined && count < told) entries.push(missingIn(parents));
    });
  }

  const toSeries = (study: string, found: readonly Found[]): (Series | StoreEntry)[] =>
    found.map(({ uid, count: told }) => (uid === undefined ? unnamedIn([study]) : { uids: [study, uid], told }));
  const entryOf = (path: readonly string[]): StoreEntry => ({ key: path.join('/'), path: label(path) });
  /** The server has told of something that it does not list. */
  const missingIn = (path: readonly string[]): StoreEntry => ({ path: label(path), reason: 'origin_failed' });
  /** A result without a UID cannot be requested. */
  const unnamedIn = missingIn;
  const nothingFound = (): StoreEntry => ({ path: label(uids), reason: 'input_path_unavailable' });

  /** A study or a series that cannot be searched to the end is listed as such, after what was found of it. */
  async function orEntry<Result>(
    path: readonly string[],
    work: (found: Result[]) => Promise<void>,
  ): Promise<(Result | UnlistedEntry)[]> {
    const found: Result[] = [];
    try {
      await work(found);
      return found;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      return [...found, { path: label(path), reason: error.code === 'origin_denied' ? error.code : 'origin_failed' }];
    }
  }

  /** The UIDs of an instance; undefined if it is not inside of what the user named. */
  function parseKey(key: string): readonly string[] | undefined {
    const path = key.split('/');
    const isInside = path.length === LEVELS.length && uids.every((uid, at) => uid === path[at]);
    return isInside && path.every(isUidInAddress) ? path : undefined;
  }

  return {
    label: label(uids),
    host,
    list,
    mostRequests: MOST_REQUESTS,
    mediaTypes: /^application\/(?:dicom|octet-stream)\s*(?:;|$)/i,
    locate(key, headers) {
      const path = parseKey(key);
      if (path === undefined) return undefined;
      if (isAlone) return target(pathOf(path), { ...headers, Accept: ALONE });
      // A part of a multipart answer would be a part of it with its boundaries.
      const { Range: _range, 'If-Match': _match, ...others } = headers;
      return target(pathOf(path), { ...others, Accept: IN_PARTS });
    },
    locateFrame(key, frame) {
      const path = parseKey(key);
      return path && target(`${pathOf(path)}/frames/${frame + 1}`, { Accept: FRAME });
    },
    async learnFrom(answer, request) {
      if (REFUSES_FORM.has(answer.status) && request.headers['Accept'] === ALONE) {
        isAlone = false;
        return true;
      }
      return authorization.renew(answer);
    },
  };
}

/** Of the metadata of a series. A longer series is found by searches. */
const LONGEST_METADATA = 32 * 2 ** 20;
/** A server makes the metadata by reading each instance, and has to begin to answer within the time limit. */
const MOST_TOLD = 2_000;
/** A server may fail so often, and once more for each so many answers, before its metadata are no longer requested. */
const MOST_FAILURES = 2;
const SENT_FOR_FAILURE = 4;
/** An answer is made by work of the server, which has other users. */
const MOST_REQUESTS = 8;
/** Searches at the same time. */
const LANES = 4;
/** Each holds the metadata of a series. */
const METADATA_LANES = 2;
/** A server that has to read a file for each result answers within the time limit. */
const PAGE = 100;
/** More results of one search are not listed. */
const MOST_RESULTS = 500_000;
/** Servers that send instances in parts only say so with one of these. */
const REFUSES_FORM: ReadonlySet<number> = new Set([400, 406, 415]);
const NO_FILTERS: URLSearchParams = new URLSearchParams();

/** What a search below a path of so many UIDs finds, and the tags of its UID and of the number of things in it. */
const LEVELS = [
  { resource: 'studies', uid: '0020000D', count: '00201206' },
  { resource: 'series', uid: '0020000E', count: '00201209' },
  { resource: 'instances', uid: '00080018', count: undefined },
] as const;

type SearchPage = { readonly filters: URLSearchParams; readonly limit: number; readonly offset: number };
/** `count`: of series in a study, or of instances in a series, if the server tells it. */
type Found = { readonly uid: string | undefined; readonly count: number | undefined };
/** The UIDs of study and series, and how many instances the server says it has. */
type Series = { readonly uids: readonly string[]; readonly told: number | undefined };
type KnownSeries = Series & { readonly first: string | undefined };
type UnlistedEntry = Extract<StoreEntry, { reason: unknown }>;
type FirstOfSeries = { readonly entries: readonly StoreEntry[]; readonly series?: KnownSeries };

/**
 * A server that knows studies by their patients, too, such as Orthanc, lists a study of two patients twice, and tells of each how
 * much it has. Requests by UIDs reach both.
 */
function mergeCopies(found: readonly Found[]): Found[] {
  const copies = new Map<string, number>();
  for (const { uid } of found) if (uid !== undefined) copies.set(uid, (copies.get(uid) ?? 0) + 1);
  return found.flatMap((one) => {
    const count = one.uid === undefined ? 1 : copies.get(one.uid);
    if (one.uid === undefined || count === 1) return [one];
    copies.delete(one.uid);
    return count === undefined ? [] : [{ ...one, count: undefined }];
  });
}

/** `/studies/1.2/series/3.4` */
function pathOf(uids: readonly string[]): string {
  return uids.map((uid, at) => `/${LEVELS[at]!.resource}/${uid}`).join('');
}

function parseResults(bytes: Uint8Array, url: URL): readonly unknown[] {
  let found: unknown;
  try {
    found = parseJson(toText(bytes), { depth: MOST_DEPTH });
  } catch {
    // It is no list either.
  }
  if (Array.isArray(found)) return found;
  throw new RemoteFailure('origin_unavailable', `${labelOfDicomweb(url, [])} answers a search without DICOM JSON`);
}

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
/** Each sequence in a sequence takes three levels. PS3.18 annex F. */
const MOST_DEPTH = 128;
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
    return parseJson(toText(bytes), { depth: MOST_DEPTH });
  } catch (cause) {
    throw noMetadata('it is no JSON', cause);
  }
}

/** A name in another character set than UTF-8 must not hide all images of a server. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
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

/** PS3.18 F.2.2. */
function firstValue(result: unknown, tag: string): unknown {
  const values = fieldOf(fieldOf(result, tag), 'Value');
  return Array.isArray(values) ? values[0] : undefined;
}

function fieldOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

function toUid(value: unknown): string | undefined {
  return typeof value === 'string' && isUidInAddress(value) ? value : undefined;
}

/** Some servers send numbers as texts. */
function toCount(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value);
  const count = isText || typeof value === 'number' ? Number(value) : NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The results in the order of the items, while the work for the next ones is under way. */
async function* inLanes<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
  lanes = LANES,
): AsyncGenerator<Result, void> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const begun = work(item);
    // Whoever awaits it gets the failure.
    begun.catch(() => undefined);
    running.push(begun);
    if (running.length === lanes) yield await running.shift()!;
  }
  for (const begun of running) yield await begun;
}
