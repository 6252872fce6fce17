import type { HttpTarget } from './httpClient.ts';
import { firstValue, parseDicomJson, toCount, toUid } from './dicomJsonValues.ts';
import { RemoteFailure } from './remoteClient.ts';
import { labelOfDicomweb } from './remoteInput.ts';
import { LONGEST_LISTING, type StoreReader } from './remoteStore.ts';

/** A request below the address of the service. */
export type TargetOf = (path: string, headers: Readonly<Record<string, string>>) => Promise<HttpTarget>;

/** What a search below a path of so many UIDs finds, and the tags of its UID and of the number of things in it. */
const LEVELS = [
  { resource: 'studies', uid: '0020000D', count: '00201206' },
  { resource: 'series', uid: '0020000E', count: '00201209' },
  { resource: 'instances', uid: '00080018', count: undefined },
] as const;

export type SearchPage = { readonly filters: URLSearchParams; readonly limit: number; readonly offset: number };
/** `count`: of series in a study, or of instances in a series, if the server tells it. */
export type FoundResult = { readonly uid: string | undefined; readonly count: number | undefined };

type SearchOptions = { readonly filters?: URLSearchParams; readonly told?: number | undefined };

/** Searches of a DICOMweb server (QIDO-RS). `parents` are the UIDs of what is searched. */
export function createDicomwebSearch(url: URL, target: TargetOf) {
  /** One page. */
  async function search(
    reader: StoreReader,
    parents: readonly string[],
    page: SearchPage,
  ): Promise<readonly FoundResult[]> {
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
    { filters = NO_FILTERS, told }: SearchOptions = {},
  ): AsyncGenerator<readonly FoundResult[], void> {
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
        throw new RemoteFailure(
          'origin_unavailable',
          `${labelOfDicomweb(url, parents)} has more than ${MOST_RESULTS} results`,
        );
      }
      offset += found.length;
      left -= found.length;
    }
  }

  return { search, searchAll };
}

/** A server that has to read a file for each result answers within the time limit. */
const PAGE = 100;
/** More results of one search are not listed. */
const MOST_RESULTS = 500_000;
export const NO_FILTERS: URLSearchParams = new URLSearchParams();

/**
 * A server that knows studies by their patients, too, such as Orthanc, lists a study of two patients twice, and tells of each how
 * much it has. Requests by UIDs reach both.
 */
function mergeCopies(found: readonly FoundResult[]): FoundResult[] {
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
export function pathOf(uids: readonly string[]): string {
  return uids.map((uid, at) => `/${LEVELS[at]!.resource}/${uid}`).join('');
}

function parseResults(bytes: Uint8Array, url: URL): readonly unknown[] {
  let found: unknown;
  try {
    found = parseDicomJson(bytes);
  } catch {
    // It is no list either.
  }
  if (Array.isArray(found)) return found;
  throw new RemoteFailure('origin_unavailable', `${labelOfDicomweb(url, [])} answers a search without DICOM JSON`);
}
