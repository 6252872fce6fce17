import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { writeDicomJson } from '../../src/server/standard/dicom/dicomJson.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { Fault } from './objectServer.ts';

/** One instance, with the UIDs by which it is found. */
export type StoredInstance = {
  readonly study: string;
  readonly series: string;
  readonly instance: string;
  readonly bytes: Uint8Array;
  /** As they are stored. If they are absent, the server does not send frames by themselves. */
  readonly frames?: readonly Uint8Array[];
  readonly transferSyntaxUid?: string;
};

export type DicomwebServerOptions = {
  /**
   * How instances are sent. `sized` and `unsized`: in parts only, with and without the length of the part. `alone`: by
   * themselves but never in ranges; `chunked`: the same without a length.
   */
  readonly form?: 'sized' | 'unsized' | 'alone' | 'chunked';
  /** Most results of one answer, however many are requested. */
  readonly pageSize?: number;
  /** Whether series and studies say how much they have. */
  readonly tellsCounts?: boolean;
  /** Whether the metadata of series can be retrieved: as the files have it, or compressed. Default: no. */
  readonly metadata?: 'plain' | 'gzip';
  /** What it tells of the instances, if not what is in them. */
  readonly metadataOf?: () => readonly StoredInstance[];
  /** Whether `offset` has an effect. */
  readonly knowsOffset?: boolean;
  readonly fault?: Fault;
};

export type DicomwebServer = {
  /** `http://127.0.0.1:PORT/pacs` */
  readonly url: string;
  /** Paths with queries, and headers, of all requests so far. */
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
};

const TAGS = { study: '0020000D', series: '0020000E', instance: '00080018' } as const;

/**
 * A DICOMweb server that does what PS3.18 requires and nothing more: no ranges, no ETags. negato's own server is the
 * other one of the tests. It is closed when the test ends.
 */
export async function serveDicomwebStandIn(
  stored: () => readonly StoredInstance[],
  options: DicomwebServerOptions = {},
): Promise<DicomwebServer> {
  const { form = 'sized', pageSize = Infinity, tellsCounts = true, knowsOffset = true, fault } = options;
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Socket>();

  function answer(request: IncomingMessage, response: ServerResponse): void {
    requests.push({ url: request.url ?? '', headers: request.headers });
    if (fault?.(request, response) === true) return;
    const [whole = '', query = ''] = (request.url ?? '').split('?');
    const [, path = whole, frame] = /^(.*)\/frames\/(\d+)$/.exec(whole) ?? [];
    const [, study, series, instance, level] =
      /^\/pacs(?:\/studies\/([\d.]+))?(?:\/series\/([\d.]+))?(?:\/instances\/([\d.]+))?(?:\/(studies|series|instances))?$/.exec(
        path,
      ) ?? [];
    const inside = stored().filter(
      (one) =>
        one.study === (study ?? one.study) &&
        one.series === (series ?? one.series) &&
        one.instance === (instance ?? one.instance),
    );
    if (whole.endsWith('/metadata')) return sendMetadata(request, response, whole.slice(0, -'/metadata'.length));
    if (level !== undefined) return sendResults(response, inside, level, new URLSearchParams(query));
    const [only] = inside;
    if (instance === undefined || only === undefined) return void response.writeHead(404).end();
    if (frame !== undefined) return sendFrame(response, only, Number(frame));
    sendInstance(request, response, only.bytes);
  }

  function sendResults(
    response: ServerResponse,
    inside: readonly StoredInstance[],
    level: string,
    query: URLSearchParams,
  ): void {
    const name = level === 'studies' ? 'study' : level === 'series' ? 'series' : 'instance';
    const lower = name === 'study' ? 'series' : 'instance';
    const uids = [...new Set(inside.map((one) => one[name]))];
    const wanted = query.get('StudyInstanceUID');
    const matching = wanted === null || name !== 'study' ? uids : uids.filter((uid) => uid === wanted);
    const offset = knowsOffset ? Number(query.get('offset') ?? 0) : 0;
    const limit = Math.min(pageSize, Number(query.get('limit') ?? Infinity));
    const page = matching.slice(offset, offset + limit);
    if (page.length === 0) return void response.writeHead(204).end();
    const count = (uid: string) => new Set(inside.filter((one) => one[name] === uid).map((one) => one[lower])).size;
    const results = page.map((uid) => ({
      [TAGS[name]]: { vr: 'UI', Value: [uid] },
      ...(tellsCounts &&
        name !== 'instance' && { [name === 'study' ? '00201206' : '00201209']: { vr: 'IS', Value: [count(uid)] } }),
    }));
    response.writeHead(200, { 'Content-Type': 'application/dicom+json' }).end(JSON.stringify(results));
  }

  function sendMetadata(request: IncomingMessage, response: ServerResponse, path: string): void {
    const inside = (options.metadataOf ?? stored)().filter(
      ({ study, series }) => path === `/pacs/studies/${study}/series/${series}`,
    );
    if (options.metadata === undefined || inside.length === 0) return void response.writeHead(404).end();
    const text = `[${inside.map(({ bytes }) => writeMetadata(bytes)).join(',\n')}]`;
    const isPacked = options.metadata === 'gzip' && request.headers['accept-encoding'] === 'gzip';
    const head = { 'Content-Type': 'application/dicom+json', ...(isPacked && { 'Content-Encoding': 'gzip' }) };
    response.writeHead(200, head).end(isPacked ? gzipSync(text) : text);
  }

  function sendInstance(request: IncomingMessage, response: ServerResponse, bytes: Uint8Array): void {
    const { accept = '' } = request.headers;
    if (form === 'alone' || form === 'chunked') {
      const length = form === 'alone' ? { 'Content-Length': bytes.length } : {};
      response.writeHead(200, { 'Content-Type': 'application/dicom', ...length });
      response.write(bytes.subarray(0, 100));
      response.end(bytes.subarray(100));
      return;
    }
    if (!accept.startsWith('multipart/related') || !accept.includes('transfer-syntax=*')) {
      response.writeHead(406).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'multipart/related; type="application/dicom"; boundary="=_a (b)"' });
    const length = form === 'sized' ? `Content-Length: ${bytes.length}\r\n` : '';
    response.write(`--=_a (b)\r\nContent-Type: application/dicom\r\n${length}\r\n`);
    response.write(bytes);
    response.end('\r\n--=_a (b)--\r\n');
  }

  const server = createServer(answer);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/pacs`, requests };
}

/** An instance in the DICOM JSON Model. */
function writeMetadata(bytes: Uint8Array): string {
  const read = readDicom(bufferSource(bytes));
  return [...writeDicomJson(read.dataSet, { bulkUri: (path) => `../bulkdata/${path}` })].join('');
}

function sendFrame(response: ServerResponse, { frames, transferSyntaxUid }: StoredInstance, frame: number): void {
  const bytes = frames?.[frame - 1];
  if (bytes === undefined) return void response.writeHead(404).end();
  const syntax = transferSyntaxUid === undefined ? '' : `; transfer-syntax=${transferSyntaxUid}`;
  response.writeHead(200, { 'Content-Type': 'multipart/related; type="application/octet-stream"; boundary=f' });
  response.write(`--f\r\nContent-Type: application/octet-stream${syntax}\r\n\r\n`);
  response.write(bytes);
  response.end('\r\n--f--\r\n');
}
