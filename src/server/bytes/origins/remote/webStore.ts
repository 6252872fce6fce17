import type { HttpAnswer, HttpTarget } from './httpClient.ts';
import { RemoteFailure } from './remoteClient.ts';
import { FIRST_SPAN } from './remoteMessages.ts';
import { hasDots, LONGEST_LISTING, type RemoteStore, type StoreEntry, type StoreReader } from './remoteStore.ts';
import { parseListing } from './s3Store.ts';
import { encodeKey } from './signRequest.ts';
import { createWebAuthorization, type FindToken } from './webAuthorization.ts';
import { hostOf } from './webHost.ts';
import { unescapeXml } from './xmlText.ts';

export type WebStoreOptions = { readonly url: URL; readonly findToken: FindToken };

/**
 * Files of a web server. The address is that of a file, of a folder that the server lists, of a text with one address in
 * each line, or of a listing of object storage. Only addresses below the folder of the named one are read.
 *
 * Keys are paths of the server, encoded as they are sent.
 */
export function createWebStore({ url, findToken }: WebStoreOptions): RemoteStore {
  const host = hostOf(url);
  const own = url.pathname;
  const folder = own.slice(0, own.lastIndexOf('/') + 1);
  /**
   * What may be read besides the named address itself. Set by what the address turns out to be; before that, an address of
   * a folder is that folder.
   */
  let root = own === folder && url.search === '' ? folder : undefined;
  const authorization = createWebAuthorization(url, findToken);
  const label = (path: string) => `${url.origin}${path}`;

  const target = async (path: string, more: Readonly<Record<string, string>> = {}): Promise<HttpTarget> => {
    return { host, path, headers: { ...more, ...(await authorization.headers()) } };
  };
  const readText = async (reader: StoreReader, path: string) => {
    const answer = await reader.get(() => target(path), LONGEST_LISTING);
    return { text: new TextDecoder().decode(answer.bytes), answer };
  };

  async function* list(reader: StoreReader, { recursive }: { readonly recursive: boolean }) {
    const range = { Range: `bytes=${FIRST_SPAN.from}-${FIRST_SPAN.to - 1}` };
    const answer = await reader.get(() => target(own + url.search, range), LONGEST_LISTING);
    const kind = recognize(answer, own);
    if (kind === 'file') {
      yield [{ key: own, path: label(own) }] satisfies StoreEntry[];
    } else if (kind === 'lines') {
      root = folder;
      yield* inPages(listLines((await readText(reader, own + url.search)).text));
    } else if (kind === 'folder') {
      root = folder;
      yield* listFolders(reader, recursive);
    } else yield* listBucket(reader);
  }

  function* listLines(text: string): Generator<StoreEntry> {
    for (const line of text.split(/\r?\n/)) {
      const name = line.trim();
      if (name === '' || name.startsWith('#')) continue;
      const path = findBelow(name, folder);
      if (path === undefined) yield { path: withoutQuery(name), reason: 'origin_denied' };
      else yield { key: path, path: label(path) };
    }
  }

  /** The path of a link if it is below the folder on the same machine. */
  function findBelow(link: string, below: string, base = new URL(own, url.origin)): string | undefined {
    if (!URL.canParse(link, base.href)) return undefined;
    const there = new URL(link, base);
    return there.origin === url.origin && there.pathname.startsWith(below) ? there.pathname : undefined;
  }

  async function* listFolders(reader: StoreReader, recursive: boolean): AsyncGenerator<readonly StoreEntry[], void> {
    const waiting = [folder];
    const seen = new Set(waiting);
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { text, answer } = await readText(reader, at);
      if (!isHtml(answer)) {
        yield [{ path: label(at), reason: 'directory_entry_unreadable' }];
        continue;
      }
      const files: StoreEntry[] = [];
      const folders: string[] = [];
      for (const [, double, single] of text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)) {
        const path = findBelow(unescapeXml(double ?? single ?? ''), at, new URL(at, url.origin));
        if (path === undefined || path === at || seen.has(path)) continue;
        seen.add(path);
        if (!path.endsWith('/')) files.push({ key: path, path: label(path) });
        else if (path.split('/').length < MOST_DEPTH) folders.push(path);
        else files.push({ path: label(path), reason: 'limit_exceeded' });
      }
      yield files;
      if (recursive) waiting.push(...folders.toReversed());
    }
  }

  async function* listBucket(reader: StoreReader): AsyncGenerator<readonly StoreEntry[], void> {
    const query = new URLSearchParams(url.search);
    query.set('list-type', '2');
    query.set('encoding-type', 'url');
    const base = own.endsWith('/') ? own : `${own}/`;
    const below = base + encodeKey(query.get('prefix') ?? '');
    root = below;
    const seen = new Set<string>();
    for (;;) {
      const { text } = await readText(reader, `${own}?${query.toString()}`);
      const { objects, next } = parseListing(text);
      yield objects
        .filter(({ key }) => !key.endsWith('/'))
        .map(({ key, mark }): StoreEntry & { key: string } => {
          const path = base + encodeKey(key);
          return { key: path, path: label(path), mark };
        })
        .filter(({ key }) => key.startsWith(below));
      if (next === undefined) return;
      if (seen.has(next)) throw new RemoteFailure('origin_unavailable', 'the server repeats a page of its listing');
      seen.add(next);
      query.set('continuation-token', next);
    }
  }

  return {
    label: label(own),
    host,
    list,
    locate(key, headers) {
      if (key === own) return target(own + url.search, headers);
      return root !== undefined && key.startsWith(root) && !hasDots(key) ? target(key, headers) : undefined;
    },
    learnFrom: (answer) => authorization.renew(answer),
  };
}

const MOST_DEPTH = 64;
const ENTRIES_IN_PAGE = 1_000;

function* inPages(entries: Iterable<StoreEntry>): Generator<readonly StoreEntry[], void> {
  let page: StoreEntry[] = [];
  for (const entry of entries) {
    page.push(entry);
    if (page.length < ENTRIES_IN_PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** What the address leads to, by its first bytes. */
function recognize(answer: HttpAnswer, path: string): 'file' | 'folder' | 'lines' | 'bucket' {
  const head = Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, Math.min(answer.bytes.length, 1024));
  const text = head.toString('latin1');
  if (text.slice(128, 132) === 'DICM') return 'file';
  if (/^(?:\u00ef\u00bb\u00bf)?\s*(?:<\?xml[^>]*>\s*)?<ListBucketResult[\s>]/.test(text)) return 'bucket';
  if (path.endsWith('/') && isHtml(answer)) return 'folder';
  const type = answer.headers['content-type'] ?? '';
  const isText = /^text\/(?!html|xml)/.test(type) || /\.(?:txt|lst|list)$/i.test(path);
  return isText && !text.includes('\0') ? 'lines' : 'file';
}

function isHtml({ headers }: HttpAnswer): boolean {
  return /^(?:text\/html|application\/xhtml)/.test(headers['content-type'] ?? '');
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}
