import { createServer, type Server, type ServerResponse } from 'node:http';
import { answerWith, type HeaderList } from './answer.ts';
import { refusalBytes, sendRefusal } from './refusal.ts';

const LIMITS = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 10_000,
  // Node looks at the timeouts only this often; its default of 30 s would let 10 s become 40.
  checkingIntervalMs: 2_000,
} as const;

/**
 * An HTTP server with limits, which answers what never becomes a request in the words of the contract. Its other answers
 * have `everyHeader`.
 */
export function createLimitedServer(everyHeader: HeaderList = []): Server {
  const server = createServer({
    ServerResponse: answerWith(everyHeader),
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: LIMITS.headersTimeoutMs,
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveMs,
    connectionsCheckingInterval: LIMITS.checkingIntervalMs,
    // The gate refuses a missing Host itself.
    requireHostHeader: false,
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A browser that opened a connection ahead of need asks again by itself where it is closed without a word; an answer
    // would become that of the request which it is just sending.
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
    sendRefusal(response, { code: 'bad_request', message: 'this expectation is not met' }, { closes: true });
  });
  return server;
}

/** Nothing here answers such a method at any address, so its Allow names what some address answers. */
const UNKNOWN_METHOD = {
  code: 'method_not_allowed',
  message: 'no address here answers this method',
  headers: { Allow: 'GET, HEAD, PUT' },
} as const;

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ [!-~]+ HTTP\/1\.[01]\r\n/;

/** Node's parser knows a list of methods and refuses all others, with the bytes that it was given. */
function isUnknownMethod(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'HPE_INVALID_METHOD' || !('rawPacket' in error)) return false;
  return Buffer.isBuffer(error.rawPacket) && REQUEST_LINE.test(error.rawPacket.toString('latin1'));
}

function describeParseFailure(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `the headers are longer than ${LIMITS.headerBytes} bytes`;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request did not arrive in time';
  return 'this is not a well-formed HTTP/1.1 request';
}
