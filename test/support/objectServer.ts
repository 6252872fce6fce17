import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** What the server does instead of answering as it should; undefined if it answers. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => true | undefined;

export type ObjectServerOptions = {
  readonly delayMs?: number;
  readonly pageSize?: number;
  /** Called for each request. */
  readonly fault?: Fault;
};

export type ObjectServer = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Method, path and headers of all requests so far. */
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  /** Most requests that were answered at the same time. */
  readonly mostAtOnce: () => number;
};

/**
 * Serves the files of a folder in two ways: `/bucket/KEY` with listings as Amazon S3 answers them, and `/web/PATH` with
 * pages that list folders as web servers do. Ranges, ETags and conditions are those of RFC 9110. It is closed when the
 * test ends.
 */
export async function serveObjects(folder: string, options: ObjectServerOptions = {}): Promise<ObjectServer> {
  const { delayMs = 0, pageSize = 1000, fault } = options;
  const requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Socket>();
  let atOnce = 0;
  let most = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    if (delayMs > 0) await delay(delayMs);
    if (fault?.(request, response) === true) return;
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const [, place = '', ...rest] = path.split('/');
    const key = rest.map(decodeURIComponent).join('/');
    if (place === 'bucket' && key === '') return sendListing(response, new URLSearchParams(query));
    if (place === 'web' && (key === '' || key.endsWith('/'))) return sendFolder(response, key);
    if (place === 'bucket' || place === 'web') return sendObject(request, response, key);
    response.writeHead(404).end();
  }

  function sendListing(response: ServerResponse, query: URLSearchParams): void {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = listFiles(folder).filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.slice(0, pageSize);
    const isTruncated = keys.length > page.length;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key).replaceAll('%20', '+')}</Key><ETag>${escapeXml(etagOf(join(folder, key)))}</ETag></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>` : '';
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>` +
        `<EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  function sendFolder(response: ServerResponse, key: string): void {
    const names = readdirSync(join(folder, key), { withFileTypes: true }).map(
      (entry) => encodeURIComponent(entry.name) + (entry.isDirectory() ? '/' : ''),
    );
    const links = ['../', '?C=N;O=D', ...names.toSorted()].map((href) => `<a href="${href}">${href}</a>`);
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<html><body><h1>Index</h1>${links.join('\n')}</body></html>`);
  }

  function sendObject(request: IncomingMessage, response: ServerResponse, key: string): void {
    const path = join(folder, key);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404, { 'Content-Type': 'application/xml' });
      response.end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    const bytes = readFileSync(path);
    const etag = etagOf(path);
    if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== etag) {
      response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
      return;
    }
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === '') {
      response.writeHead(200, { ETag: etag, 'Content-Length': bytes.length }).end(bytes);
      return;
    }
    if (Number(from) >= bytes.length) {
      response.writeHead(416, { ETag: etag, 'Content-Range': `bytes */${bytes.length}` }).end();
      return;
    }
    const part = bytes.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
    const type = key.endsWith('.txt') ? { 'Content-Type': 'text/plain' } : {};
    response.writeHead(206, { ETag: etag, 'Content-Range': range, 'Content-Length': part.length, ...type }).end(part);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, mostAtOnce: () => most };
}

/** In the order of their bytes, as object storage lists them. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

function etagOf(path: string): string {
  return `"${createHash('md5').update(readFileSync(path)).digest('hex')}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
