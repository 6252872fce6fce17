import { createHmac } from 'node:crypto';
import type { HttpTarget } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import {
  hasDots,
  LONGEST_LISTING,
  type RemoteStore,
  type StoreEntry,
  type StoreReader,
  toEntry,
} from './remoteStore.ts';
import { hostOf, type WebHost } from './webHost.ts';
import { encodeKey, encodeQuery } from './signRequest.ts';
import { readXmlTexts } from './xmlText.ts';

export type AzureStoreOptions = {
  readonly account: string;
  readonly container: string;
  readonly prefix: string;
  /** Another server than the public one. The account is then a part of the path. */
  readonly endpoint: URL | undefined;
  /** A shared access signature, or the key of the account in base64; undefined if the container is public. */
  readonly credentials: { readonly sas: string } | { readonly accountKey: string } | undefined;
  readonly now?: () => Date;
};

const VERSION = '2021-12-02';

/** In the order in which their values are signed. */
const SIGNED_HEADERS = [
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-MD5',
  'Content-Type',
  'Date',
  'If-Modified-Since',
  'If-Match',
  'If-None-Match',
  'If-Unmodified-Since',
  'Range',
];

/** Azure Blob Storage. */
export function createAzureStore(options: AzureStoreOptions): RemoteStore {
  const { account, container, prefix, endpoint, credentials, now = () => new Date() } = options;
  const host: WebHost =
    endpoint === undefined
      ? { protocol: 'https:', hostname: `${account}.blob.core.windows.net`, port: '' }
      : hostOf(endpoint);
  const base = endpoint === undefined ? '' : `${endpoint.pathname.replace(/\/$/, '')}/${account}`;
  const root = `${base}/${encodeKey(container)}`;
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const label = (key: string) => `az://${account}/${container}/${key}`;

  const target = (
    path: string,
    query: readonly (readonly [string, string])[],
    more: Readonly<Record<string, string>> = {},
  ): HttpTarget => {
    const headers: Record<string, string> = { ...more, 'x-ms-version': VERSION, 'x-ms-date': now().toUTCString() };
    const text = encodeQuery(query);
    if (credentials === undefined) return { host, path: join(path, text), headers };
    if ('sas' in credentials) return { host, path: join(path, text, credentials.sas.replace(/^\?/, '')), headers };
    // The resource is the account and the whole path; a path with the account in it names it twice.
    const resource = [`/${account}${path}`, ...query.map(([name, value]) => `${name}:${value}`).toSorted()].join('\n');
    const signed = Object.entries(headers)
      .filter(([name]) => name.startsWith('x-ms-'))
      .map(([name, value]) => `${name}:${value}`)
      .toSorted()
      .join('\n');
    const lines = SIGNED_HEADERS.map((name) => headers[name] ?? '');
    const toSign = ['GET', ...lines, signed, resource].join('\n');
    const signature = createHmac('sha256', Buffer.from(credentials.accountKey, 'base64'))
      .update(toSign)
      .digest('base64');
    headers['Authorization'] = `SharedKey ${account}:${signature}`;
    return { host, path: join(path, text), headers };
  };

  async function* list(reader: StoreReader, { recursive }: { readonly recursive: boolean }) {
    if (prefix !== folder && (await hasBlob(reader))) {
      yield [{ key: prefix, path: label(prefix) }] satisfies StoreEntry[];
      return;
    }
    const seen = new Set<string>();
    for (let marker = '', found = 0; ;) {
      const query: (readonly [string, string])[] = [
        ['restype', 'container'],
        ['comp', 'list'],
        ['prefix', folder],
      ];
      if (!recursive) query.push(['delimiter', '/']);
      if (marker !== '') query.push(['marker', marker]);
      const answer = await reader.get(() => target(root, query), LONGEST_LISTING);
      const page = parseBlobs(new TextDecoder().decode(answer.bytes));
      found += page.blobs.length;
      const blobs = page.blobs.filter(({ key }) => key.startsWith(folder) && !key.endsWith('/'));
      if (blobs.length > 0) yield blobs.map(({ key, mark }) => toEntry({ key, path: label(key), mark }));
      if (page.next === undefined) {
        if (found === 0) yield [{ path: label(prefix), reason: 'input_path_unavailable' }] satisfies StoreEntry[];
        return;
      }
      if (seen.has(page.next)) {
        throw new RemoteFailure('origin_unavailable', 'the server repeats a page of its listing');
      }
      seen.add(page.next);
      marker = page.next;
    }
  }

  async function hasBlob(reader: StoreReader): Promise<boolean> {
    try {
      await reader.get(() => target(`${root}/${encodeKey(prefix)}`, [], { Range: 'bytes=0-0' }), 64 * 1024);
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure && ['file_gone', 'origin_denied'].includes(error.code)) return false;
      throw error;
    }
  }

  return {
    label: label(prefix),
    scheme: 'az',
    host,
    list,
    locate(key, headers) {
      if ((key !== prefix && !key.startsWith(folder)) || hasDots(key)) return undefined;
      return Promise.resolve(target(`${root}/${encodeKey(key)}`, [], headers));
    },
    learnFrom: () => Promise.resolve(false),
  };
}

function join(path: string, ...queries: readonly string[]): string {
  const query = queries.filter((text) => text !== '').join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** A page of the answer to List Blobs. */
export function parseBlobs(xml: string): {
  /** `mark` differs after a change. */
  readonly blobs: readonly { readonly key: string; readonly mark: string }[];
  readonly next: string | undefined;
} {
  const blobs: { key: string; mark: string }[] = [];
  let next: string | undefined;
  let isListing = false;
  for (const { path, text } of readXmlTexts(xml)) {
    const last = blobs.at(-1);
    if (path === 'EnumerationResults/Blobs/Blob/Name') blobs.push({ key: text, mark: '' });
    else if (last !== undefined && MARKS.has(path)) last.mark += `${text} `;
    else if (path === 'EnumerationResults/NextMarker') next = text;
    else if (path === 'EnumerationResults/') isListing = true;
  }
  if (!isListing) throw new RemoteFailure('origin_unavailable', 'the answer is not a listing of a container');
  return { blobs, next };
}

const MARKS: ReadonlySet<string> = new Set(
  ['Etag', 'Content-Length', 'Last-Modified'].map((name) => `EnumerationResults/Blobs/Blob/Properties/${name}`),
);
