import { createDicomwebSearch, type FoundResult, NO_FILTERS, pathOf } from './dicomwebSearch.ts';
import type { HttpTarget } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import { isUidInAddress, labelOfDicomweb } from './remoteInput.ts';
import type { RemoteStore, StoreEntry, StoreListing, StoreReader } from './remoteStore.ts';
import { createSeriesMetadata, type KnownSeries, type ListedSeries } from './seriesMetadata.ts';
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
  const label = (path: readonly string[]) => labelOfDicomweb(url, path);
  const target = async (path: string, headers: Readonly<Record<string, string>>): Promise<HttpTarget> => {
    return { host, path: root + path, headers: { ...headers, ...(await authorization.headers()) } };
  };

  const { search, searchAll } = createDicomwebSearch(url, target);
  const entryOf = (path: readonly string[]) => ({ key: path.join('/'), path: label(path) });
  const tellSeries = createSeriesMetadata(target, entryOf);

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
  async function* findSeries(reader: StoreReader): AsyncGenerator<readonly (ListedSeries | StoreEntry)[], void> {
    const filters = url.searchParams;
    const [only] = uids;
    if (only !== undefined) {
      for await (const found of searchAll(reader, uids, { filters })) yield toSeries(only, found);
      return;
    }
    const ofStudy = ({ uid: study, count: told }: FoundResult): Promise<readonly (ListedSeries | StoreEntry)[]> => {
      if (study === undefined) return Promise.resolve([unnamedIn([])]);
      return orEntry([study], async (series: (ListedSeries | StoreEntry)[]) => {
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

  async function findFirst(reader: StoreReader, series: ListedSeries | StoreEntry): Promise<FirstOfSeries> {
    if ('path' in series) return { entries: [series] };
    const { uids: parents, told } = series;
    const page = { filters: NO_FILTERS, limit: 1, offset: 0 };
    const found = await orEntry(parents, async (results: FoundResult[]) => {
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
    const found = await orEntry([study, series], async (results: FoundResult[]) => {
      results.push(...(await search(reader, [study], page)));
    });
    return found.flatMap((one) => ('uid' in one && one.uid === series ? [one.count] : []))[0];
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

  const toSeries = (study: string, found: readonly FoundResult[]): (ListedSeries | StoreEntry)[] =>
    found.map(({ uid, count: told }) => (uid === undefined ? unnamedIn([study]) : { uids: [study, uid], told }));
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
    const isInside = path.length === UIDS_OF_INSTANCE && uids.every((uid, at) => uid === path[at]);
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

/** An answer is made by work of the server, which has other users. */
const MOST_REQUESTS = 8;
/** Of study, series and instance. */
const UIDS_OF_INSTANCE = 3;
/** Searches at the same time. */
const LANES = 4;
/** Each holds the metadata of a series. */
const METADATA_LANES = 2;
/** Servers that send instances in parts only say so with one of these. */
const REFUSES_FORM: ReadonlySet<number> = new Set([400, 406, 415]);
type UnlistedEntry = Extract<StoreEntry, { reason: unknown }>;
type FirstOfSeries = { readonly entries: readonly StoreEntry[]; readonly series?: KnownSeries };

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
