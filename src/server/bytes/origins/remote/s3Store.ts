import {
  hasDots,
  LONGEST_LISTING,
  type RemoteStore,
  type StoreEntry,
  type StoreReader,
  toEntry,
} from './remoteStore.ts';
import type { HttpAnswer, HttpTarget } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import { encodeKey, encodeQuery, signRequest, type AwsCredentials } from './signRequest.ts';
import { hostHeader, hostOf, type WebHost } from './webHost.ts';
import { readXmlTexts } from './xmlText.ts';

export type S3StoreOptions = {
  readonly scheme: 's3' | 'gs';
  readonly bucket: string;
  readonly prefix: string;
  /** Another server than that of the scheme. The bucket is then a part of the path. */
  readonly endpoint: URL | undefined;
  readonly region: string | undefined;
  /** The headers of other ways to sign, and keys; undefined if the place is public. `renewed`: the last ones were refused. */
  readonly findCredentials: (options: { readonly renewed: boolean }) => Promise<StoreCredentials | undefined>;
  readonly now?: () => Date;
};

export type StoreCredentials =
  | ({ readonly kind: 'keys' } & AwsCredentials)
  | { readonly kind: 'bearer'; readonly token: string };

const REGION = /^[a-z0-9-]{1,40}$/;

/** Object storage that understands the requests of Amazon S3. */
export function createS3Store(options: S3StoreOptions): RemoteStore {
  const { scheme, bucket, prefix, endpoint, findCredentials, now = () => new Date() } = options;
  let { region } = options;
  let credentials: Promise<StoreCredentials | undefined> | undefined;
  let renewedMs = -Infinity;

  const address = (): { readonly host: WebHost; readonly root: string } => {
    if (endpoint !== undefined) {
      return { host: hostOf(endpoint), root: `${endpoint.pathname.replace(/\/$/, '')}/${encodeKey(bucket)}` };
    }
    if (scheme === 'gs') return { host: secureHost('storage.googleapis.com'), root: `/${encodeKey(bucket)}` };
    const part = region === undefined ? '' : `.${region}`;
    // The certificate of the storage does not cover names with more dots.
    if (bucket.includes('.')) return { host: secureHost(`s3${part}.amazonaws.com`), root: `/${encodeKey(bucket)}` };
    return { host: secureHost(`${bucket}.s3${part}.amazonaws.com`), root: '' };
  };

  const target = async (
    path: string,
    query: readonly (readonly [string, string])[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpTarget> => {
    const { host } = address();
    const text = encodeQuery(query);
    const sent = text === '' ? path : `${path}?${text}`;
    const found = await (credentials ??= findCredentials({ renewed: false }));
    if (found === undefined) return { host, path: sent, headers };
    if (found.kind === 'bearer') {
      return { host, path: sent, headers: { ...headers, Authorization: `Bearer ${found.token}` } };
    }
    const signing = { host: hostHeader(host), path, query, region: region ?? (scheme === 'gs' ? 'auto' : 'us-east-1') };
    return { host, path: sent, headers: { ...headers, ...signRequest({ ...signing, now: now() }, found) } };
  };

  const pathOf = (key: string) => `${address().root}/${encodeKey(key)}`;
  const label = (key: string) => `${scheme}://${bucket}/${key}`;
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;

  async function* list(reader: StoreReader, { recursive }: { readonly recursive: boolean }) {
    if (prefix !== folder && (await hasObject(reader))) {
      yield [{ key: prefix, path: label(prefix) }] satisfies StoreEntry[];
      return;
    }
    const seen = new Set<string>();
    for (let token: string | undefined = '', found = 0; token !== undefined;) {
      const query: (readonly [string, string])[] = [
        ['list-type', '2'],
        ['encoding-type', 'url'],
        ['prefix', folder],
      ];
      if (!recursive) query.push(['delimiter', '/']);
      if (token !== '') query.push(['continuation-token', token]);
      const answer = await reader.get(() => target(`${address().root}/`, query), LONGEST_LISTING);
      const page = parseListing(decodeText(answer.bytes));
      const entries = page.objects
        .filter(({ key }) => isFile(key))
        .map(({ key, mark }) => toEntry({ key, path: label(key), mark }));
      found += page.objects.length;
      if (entries.length > 0) yield entries;
      token = page.next;
      if (token !== undefined && seen.has(token)) {
        throw new RemoteFailure('origin_unavailable', 'the server repeats a page of its listing');
      }
      if (token !== undefined) seen.add(token);
      else if (found === 0) yield [{ path: label(prefix), reason: 'input_path_unavailable' }] satisfies StoreEntry[];
    }
  }

  /** Objects that stand for folders end in a slash. Other keys than asked for are not believed. */
  const isFile = (key: string) => key.startsWith(folder) && !key.endsWith('/');

  async function hasObject(reader: StoreReader): Promise<boolean> {
    try {
      const { status } = await reader.get(() => target(pathOf(prefix), [], { Range: 'bytes=0-0' }), 64 * 1024);
      return status === 200 || status === 206;
    } catch (error) {
      // Without the right to list, storage answers 403 to an object that does not exist.
      if (error instanceof RemoteFailure && ['file_gone', 'origin_denied'].includes(error.code)) return false;
      throw error;
    }
  }

  return {
    label: label(prefix),
    scheme,
    get host() {
      return address().host;
    },
    list,
    locate(key, headers) {
      if ((key !== prefix && !key.startsWith(folder)) || hasDots(key)) return undefined;
      return target(pathOf(key), [], headers);
    },
    async learnFrom(answer) {
      const { status } = answer;
      const told = answer.headers['x-amz-bucket-region'];
      if (endpoint === undefined && typeof told === 'string' && REGION.test(told) && told !== region) {
        region = told;
        return true;
      }
      if (status !== 401 && status !== 403 && !isExpired(answer)) return false;
      if ((await credentials) === undefined || performance.now() - renewedMs < RENEW_MS) return false;
      renewedMs = performance.now();
      credentials = findCredentials({ renewed: true });
      return (await credentials) !== undefined;
    },
  };
}

function secureHost(hostname: string): WebHost {
  return { protocol: 'https:', hostname, port: '' };
}

/** Credentials that are refused are not asked for more often. */
const RENEW_MS = 60_000;

function isExpired({ status, bytes }: HttpAnswer): boolean {
  return status === 400 && /<Code>(?:ExpiredToken|RequestExpired|TokenRefreshRequired)</.test(decodeText(bytes));
}

export type Listing = {
  /** `mark` differs after a change. */
  readonly objects: readonly { readonly key: string; readonly mark: string }[];
  readonly next: string | undefined;
};

/** A page of the answer to ListObjectsV2 or ListObjects. */
export function parseListing(xml: string): Listing {
  const objects: { key: string; mark: string }[] = [];
  let isUrl = false;
  let isTruncated = false;
  let next: string | undefined;
  let isListing = false;
  for (const { path, text } of readXmlTexts(xml)) {
    const last = objects.at(-1);
    if (path === 'ListBucketResult/Contents/Key') objects.push({ key: text, mark: '' });
    else if (last !== undefined && MARKS.has(path)) last.mark += `${text} `;
    else if (path === 'ListBucketResult/EncodingType') isUrl = text === 'url';
    else if (path === 'ListBucketResult/IsTruncated') isTruncated = text === 'true';
    else if (path === 'ListBucketResult/NextContinuationToken') next = text;
    else if (path === 'ListBucketResult/') isListing = true;
  }
  if (!isListing) throw new RemoteFailure('origin_unavailable', 'the answer is not a listing of a bucket');
  if (isTruncated && next === undefined) {
    throw new RemoteFailure('origin_unavailable', 'the listing is cut off and has no next page');
  }
  if (isUrl) for (const object of objects) object.key = decodeKey(object.key);
  return { objects, next: isTruncated ? next : undefined };
}

const MARKS: ReadonlySet<string> = new Set(
  ['ETag', 'Size', 'LastModified'].map((name) => `ListBucketResult/Contents/${name}`),
);

/** `+` is a space, as in forms. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
