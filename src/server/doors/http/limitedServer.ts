import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerWith, type HeaderList } from './answer.ts';
import { type Refusal, refusalBytes, sendRefusal } from './refusal.ts';

const LIMITS = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 10_000,
  // Node checks the timeouts only at this interval; with its default of 30 s, a limit of 10 s could become 40 s.
  checkingIntervalMs: 2_000,
} as const;

type LimitedServerOptions = {
  readonly everyHeader?: HeaderList;
  /** The answer to a method that the parser does not know, or to CONNECT, for this request target. */
  readonly refuseMethod?: (target: string) => Promise<Refusal>;
};

/**
 * An HTTP server with limits. Input that never becomes a request is answered with an error body of the contract. All
 * other responses have `everyHeader`.
 */
export function createLimitedServer({ everyHeader = [], refuseMethod }: LimitedServerOptions = {}): Server {
  const server = createServer({
    ServerResponse: answerWith(everyHeader),
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: LIMITS.headersTimeoutMs,
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveMs,
    connectionsCheckingInterval: LIMITS.checkingIntervalMs,
    // The gate itself refuses requests without a Host header.
    requireHostHeader: false,
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Browsers open connections in advance. If such a connection is closed silently, the browser retries by itself; a
    // response would be taken as the answer to a request that it is just sending.
    const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0;
    if (!socket.writable || error.code === 'ECONNRESET' || isSilent) {
      socket.destroy();
      return;
    }
    const target = findTarget(error);
    if (target !== undefined) void refuseLater(socket, refuseMethod?.(target));
    // At once, before the answer to a request whose body is not well-formed.
    else refuse(socket, { code: 'bad_request', message: describeParseFailure(error.code) });
  });
  server.on('connect', ({ url = '' }, socket) => void refuseLater(socket, refuseMethod?.(url)));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    sendRefusal(response, { code: 'bad_request', message: 'this expectation is not supported' }, { closes: true });
  });
  return server;
}

const UNKNOWN_METHOD: Refusal = { code: 'bad_request', message: 'this method is not supported' };

async function refuseLater(socket: Duplex, refusal: Promise<Refusal> | undefined): Promise<void> {
  refuse(socket, (await refusal?.catch(() => undefined)) ?? UNKNOWN_METHOD);
}

function refuse(socket: Duplex, refusal: Refusal): void {
  socket.end(refusalBytes(refusal), () => socket.destroy());
}

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ ([!-~]+) HTTP\/1\.[01]\r\n/;

/**
 * What a request with a method that Node's parser does not know asks for. The error includes the bytes that the parser
 * received.
 */
function findTarget(error: NodeJS.ErrnoException): string | undefined {
  if (error.code !== 'HPE_INVALID_METHOD' || !('rawPacket' in error)) return undefined;
  return Buffer.isBuffer(error.rawPacket) ? REQUEST_LINE.exec(error.rawPacket.toString('latin1'))?.[1] : undefined;
}

function describeParseFailure(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `the headers are longer than ${LIMITS.headerBytes} bytes`;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request did not arrive in time';
  return 'this is not a well-formed HTTP/1.1 request';
}
