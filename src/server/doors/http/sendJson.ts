import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { ByteCache } from '../../../shared/byteCache.ts';
import { inPieces } from '../../machine/workers/jsonPieces.ts';
import type { HeaderList } from './answer.ts';
import type { Exchange } from './exchange.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const JSON_HEADERS: HeaderList = [['Content-Type', 'application/json']];

/** Smaller responses fit into one or two packets uncompressed. */
const WORTH_COMPRESSING_BYTES = 4096;

/** Sends JSON that is small enough to be serialized in one step. */
export function sendJson(c: Exchange, body: object): void {
  c.send(200, JSON_HEADERS, JSON.stringify(body));
}

/** The same, compressed: it may be some megabytes. */
export function sendLongJson(c: Exchange, body: object, status = 200): Promise<void> {
  return sendCompressible(c, new TextEncoder().encode(JSON.stringify(body)), JSON_HEADERS, status);
}

/** Sends JSON that was serialized elsewhere, such as in a worker thread. */
export function sendJsonBytes(c: Exchange, bytes: Bytes): Promise<void> {
  return sendCompressible(c, bytes, JSON_HEADERS);
}

/** Sends bytes that compress well, compressed if the client accepts it, because clients are often on slow links. */
export async function sendCompressible(c: Exchange, bytes: Bytes, headers: HeaderList, status = 200): Promise<void> {
  if (bytes.length < WORTH_COMPRESSING_BYTES) return c.send(status, headers, bytes);
  const sent = acceptsGzip(c) ? await promisify(gzip)(bytes) : bytes;
  return c.send(status, [...headers, ...encodingOf(c)], sent);
}

/** A response as it was sent, compressed or not. */
export type KeptJson = Bytes;

type Kept = {
  readonly kept: ByteCache<KeptJson>;
  /** Identifies the text of the response; undefined if it is not worth keeping. */
  readonly key: string | undefined;
};

/** The pieces of a response. The next one is made once the client has taken the one before. */
export type JsonPieces = AsyncGenerator<Bytes, void>;

/** Sends JSON that is the same until its key changes: it is written, and compressed, once for each key. */
export async function sendKeptJson(
  c: Exchange,
  { kept, key }: Kept,
  write: () => JsonPieces | Promise<JsonPieces>,
): Promise<void> {
  if (key === undefined) return sendPieces(c, await write(), JSON_HEADERS);
  const place = `${acceptsGzip(c) ? 'gzip' : 'plain'} ${key}`;
  const known = kept.get(place);
  if (known !== undefined) return c.send(200, [...JSON_HEADERS, ...encodingOf(c)], known);
  return sendPieces(c, await write(), JSON_HEADERS, (pieces) => keepWhole(pieces, kept, place));
}

/** Keeps what passes once all of it has passed, unless it is too large for the cache. */
async function* keepWhole(pieces: AsyncIterable<Bytes>, kept: ByteCache<Bytes>, key: string): JsonPieces {
  const passed: Bytes[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes <= kept.budgetBytes) passed.push(piece);
    else passed.length = 0;
    yield piece;
  }
  if (bytes <= kept.budgetBytes) kept.set(key, new Uint8Array(Buffer.concat(passed, bytes)), bytes);
}

/** Sends JSON that is written while it is being sent. */
export function sendJsonTexts(c: Exchange, texts: Iterable<string>): Promise<void> {
  return sendTexts(c, texts, JSON_HEADERS);
}

/**
 * Sends texts piece by piece. The event loop runs between two pieces, so that a long response does not delay others, and
 * the next piece is only requested once the client has taken the previous one.
 */
export function sendTexts(c: Exchange, texts: Iterable<string>, headers: HeaderList): Promise<void> {
  return sendPieces(c, encodePieces(texts), headers);
}

export async function* encodePieces(texts: Iterable<string>): JsonPieces {
  const encoder = new TextEncoder();
  for (const piece of inPieces(texts)) {
    yield encoder.encode(piece);
    await new Promise((resume) => setImmediate(resume));
  }
}

type PassPieces = (pieces: AsyncIterable<Bytes>) => JsonPieces;

/** Sends pieces of text as they are made. */
export async function sendPieces(
  c: Exchange,
  pieces: JsonPieces,
  headers: HeaderList,
  pass?: PassPieces,
): Promise<void> {
  // The first piece is made before anything is sent: if that fails, the client gets the error.
  const first = await pieces.next();
  const isShort = first.done !== true && first.value.length < WORTH_COMPRESSING_BYTES;
  const second = isShort && pass === undefined ? await pieces.next() : undefined;
  if (first.done !== true && second?.done === true) return c.send(200, headers, first.value);
  c.begin(200, [...headers, ...encodingOf(c)]);
  if (c.method === 'HEAD') {
    await pieces.return();
    c.outgoing.end();
    return undefined;
  }
  const all = startingWith([first, second], pieces);
  const sent = acceptsGzip(c) ? compress(all) : all;
  try {
    await pipeline(pass === undefined ? sent : pass(sent), c.outgoing);
  } catch (error) {
    // The client has left. It will not read that its response could not be sent.
    if (!isPrematureClose(error)) throw error;
  } finally {
    // The client may have left before it had taken the first pieces; then the others have not been asked for anything.
    await pieces.return();
  }
  return undefined;
}

async function* startingWith(
  made: readonly (IteratorResult<Bytes, void> | undefined)[],
  others: JsonPieces,
): JsonPieces {
  for (const piece of made) if (piece !== undefined && piece.done !== true) yield piece.value;
  yield* others;
}

async function* compress(pieces: AsyncIterable<Bytes>): JsonPieces {
  const gzipped = createGzip();
  const compressing = pipeline(pieces, gzipped);
  try {
    yield* gzipped;
    await compressing;
  } finally {
    gzipped.destroy();
    await compressing.catch(() => undefined);
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** The headers of a response that is compressed if the client accepts it. */
function encodingOf(c: Exchange): HeaderList {
  return acceptsGzip(c) ? GZIP : PLAIN;
}

const PLAIN: HeaderList = [['Vary', 'Accept-Encoding']];
const GZIP: HeaderList = [...PLAIN, ['Content-Encoding', 'gzip']];

function acceptsGzip(c: Exchange): boolean {
  return acceptsEncoding(c.header('accept-encoding'), 'gzip');
}

/** Whether a client that sent this Accept-Encoding header accepts the encoding. */
export function acceptsEncoding(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
