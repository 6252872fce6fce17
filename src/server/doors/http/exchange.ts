import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HeaderList, toHeadList } from './answer.ts';
import { hasBody } from './gate.ts';
import { beginAnswer, setArrival } from '../../machine/workers/arrival.ts';

/**
 * A request and its response, as the routes see them. A class, because object literals with getters would each get a
 * shape of their own.
 */
export class Exchange {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** What the path contains in place of `:name`. */
  parameters: Readonly<Record<string, string>> = {};
  /** How long the route waits for a busy server if its client has no other preference. */
  ownWaitMs = 0;
  readonly #headers: HeaderList[number][] = [];
  #aborter: AbortController | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    const { method = '', url = '' } = incoming;
    const start = url.indexOf('?');
    this.method = method;
    this.path = start === -1 ? url : url.slice(0, start);
    this.query = start === -1 ? '' : url.slice(start + 1);
    this.incoming = incoming;
    this.outgoing = outgoing;
  }

  /** A header of the request, by its lower-case name. The values of a header that was sent twice are joined. */
  header(name: string): string | undefined {
    const { rawHeaders } = this.incoming;
    let value: string | undefined;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      if (rawHeaders[i]?.length !== name.length || rawHeaders[i]?.toLowerCase() !== name) continue;
      value = value === undefined ? rawHeaders[i + 1] : `${value}, ${rawHeaders[i + 1]}`;
    }
    return value;
  }

  /** Aborts when the client leaves before it has the whole response. Created on first use, because it takes time. */
  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      const aborter = new AbortController();
      setArrival(aborter.signal, { atMs: performance.now() });
      const { outgoing } = this;
      const { socket } = this.incoming;
      const onClose = () => {
        socket.off('close', onClose);
        if (!outgoing.writableFinished) aborter.abort(new Error('the client has left'));
      };
      if (outgoing.closed || socket.destroyed) onClose();
      else {
        outgoing.once('close', onClose);
        // A response that waits behind others of its connection is not told that the connection has closed.
        socket.once('close', onClose);
      }
      this.#aborter = aborter;
    }
    return this.#aborter.signal;
  }

  /** Adds a header to the response, whatever sends it. */
  setHeader(name: string, value: string): void {
    this.#headers.push([name, value]);
  }

  /** Forgets the headers that were added: the request is handled again. */
  forgetHeaders(): void {
    this.#headers.length = 0;
  }

  /** Sends a response of known length. The bytes are not copied, so they must no longer change. */
  send(status: number, headers: HeaderList, body: string | Uint8Array): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    this.begin(status, [...headers, ['Content-Length', length]]);
    // Node sends no body in response to HEAD.
    this.outgoing.end(body);
  }

  /** Sends the head of a response whose body follows. */
  begin(status: number, headers: HeaderList): void {
    const { incoming, outgoing } = this;
    const all = [...this.#headers, ...headers];
    if (this.#aborter !== undefined) beginAnswer(this.#aborter.signal);
    // The unread body of a refused request would follow on the connection.
    if (!incoming.readableEnded && hasBody(incoming.rawHeaders)) all.push(['Connection', 'close']);
    outgoing.writeHead(status, toHeadList(all));
  }
}
