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
    const message = describeParseFailure(error.code);
    socket.end(refusalBytes({ code: 'bad_request', message }), () => socket.destroy());
  });
  server.on('connect', (_request, socket) => {
    socket.end(refusalBytes({ code: 'bad_request', message: 'this server is no proxy' }), () => socket.destroy());
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    sendRefusal(response, { code: 'bad_request', message: 'this expectation is not met' }, { closes: true });
  });
  return server;
}

function describeParseFailure(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return `the headers are longer than ${LIMITS.headerBytes} bytes`;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request did not arrive in time';
  return 'this is not a well-formed HTTP/1.1 request';
}
