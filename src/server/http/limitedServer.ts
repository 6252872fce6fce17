import { createServer, type Server, type ServerResponse } from 'node:http';
import { answerWith, type HeaderList } from './answer.ts';
import { refusalBytes, sendRefusal } from './refusal.ts';

const LIMITS = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 10_000,
  // Node checks the timeouts only at this interval; with its default of 30 s, a limit of 10 s could become 40 s.
  checkingIntervalMs: 2_000,
} as const;

/**
 * An HTTP server with limits. Input that never becomes a request is answered with an error body of the contract. All
 * other responses have `everyHeader`.
 */
export function createLimitedServer(everyHeader: HeaderList = []): Server {
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
    const refusal = isUnknownMethod(error)
      ? UNKNOWN_METHOD
      : ({ code: 'bad_request', message: describeParseFailure(error.code) } as const);
    socket.end(refusalBytes(refusal), () => socket.destroy());
  });
  server.on('connect', (_request, socket) => {
    socket.end(refusalBytes(UNKNOWN_METHOD), () => socket.destroy());
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    sendRefusal(response, { code: 'bad_request', message: 'this expectation is not supported' }, { closes: true });
  });
  return server;
}

/** No address here accepts such a method, so Allow lists the methods that any address accepts. */
const UNKNOWN_METHOD = {
  code: 'method_not_allowed',
  message: 'this method is not supported',
  headers: { Allow: 'GET, HEAD, PUT, POST, PATCH, DELETE' },
} as const;

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ [!-~]+ HTTP\/1\.[01]\r\n/;

/** Node's parser refuses methods that are not on its list; the error includes the bytes it received. */
function isUnknownMethod(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'HPE_INVALID_METHOD' || !('rawPacket' in error)) return false;
  return Buffer.isBuffer(error.rawPacket) && REQUEST_LINE.test(error.rawPacket.toString('latin1'));
}

function describeParseFailure(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `the headers are longer than ${LIMITS.headerBytes} bytes`;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request did not arrive in time';
  return 'this is not a well-formed HTTP/1.1 request';
}
