import { readFile } from 'node:fs/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { HeaderList } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { acceptsEncoding } from './sendJson.ts';

/** One entry of `assets.json`, which the build of the page writes. */
export type AssetEntry = {
  readonly url: string;
  readonly file: string;
  readonly mediaType: string;
  /** Whether the URL contains a hash of the content. */
  readonly immutable: boolean;
  /** Content-Encodings of the compressed copies stored beside the file. */
  readonly encodings: readonly string[];
};

type Bytes = Uint8Array<ArrayBuffer>;
type Asset = AssetEntry & { readonly plain: Bytes; readonly encoded: ReadonlyMap<string, Bytes> };

/** The page and its files, all in memory. A URL is looked up as a key and never used as a path. */
export type Assets = {
  has(url: string): boolean;
  send(c: Exchange): void;
};

export const NO_ASSETS: Assets = serveFrom(new Map());

/** By folder. A process reads the files once, for all of its servers. */
const known = new Map<string, Promise<Assets>>();

export function getAssets(folder: URL): Promise<Assets> {
  const assets = known.get(folder.href) ?? readAssets(folder);
  known.set(folder.href, assets);
  assets.catch(() => known.delete(folder.href));
  return assets;
}

async function readAssets(folder: URL): Promise<Assets> {
  const assets = new Map<string, Asset>();
  for (const entry of await readEntries(folder)) assets.set(entry.url, await readAsset(folder, entry));
  return serveFrom(assets);
}

function serveFrom(assets: ReadonlyMap<string, Asset>): Assets {
  return {
    has: (url) => assets.has(url),
    send(c) {
      const asset = assets.get(c.path);
      if (asset === undefined) throw new ViewerError('asset_not_found', 'no such page');
      const wanted = c.header('accept-encoding');
      const [encoding, bytes] = [...asset.encoded].find(([name]) => acceptsEncoding(wanted, name)) ?? [];
      if (encoding !== undefined) c.setHeader('Content-Encoding', encoding);
      const headers: HeaderList = [
        ['Content-Type', asset.mediaType],
        ['Cache-Control', asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
        ['Vary', 'Accept-Encoding'],
      ];
      c.send(200, headers, bytes ?? asset.plain);
    },
  };
}

async function readEntries(folder: URL): Promise<AssetEntry[]> {
  const entries: AssetEntry[] = JSON.parse(await readFile(new URL('assets.json', folder), 'utf8'));
  return entries;
}

async function readAsset(folder: URL, entry: AssetEntry): Promise<Asset> {
  const encoded = new Map<string, Bytes>();
  for (const encoding of entry.encodings) encoded.set(encoding, await readBytes(folder, `${entry.file}.${encoding}`));
  return { ...entry, plain: await readBytes(folder, entry.file), encoded };
}

async function readBytes(folder: URL, file: string): Promise<Bytes> {
  return new Uint8Array(await readFile(new URL(file, folder)));
}
