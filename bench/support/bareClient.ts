import { connect, type Socket } from 'node:net';

export type Answer = {
  /** Time from the request to the last byte. */
  readonly tookMs: number;
  readonly bytes: number;
  readonly status: number | undefined;
  readonly cache: string | undefined;
};

/** Sends requests on connections that are kept alive. */
export type Client = { readonly ask: (url: string) => Promise<Answer>; readonly close: () => void };

/**
 * Requests resources that have a Content-Length, sequentially, on one connection per server. A node:http client takes
 * longer to write a request and to parse a response than a server that has the response ready.
 */
export function createBareClient(): Client {
  const connections = new Map<string, Connection>();
  return {
    async ask(url) {
      const { host, hostname, port, pathname, search } = new URL(url);
      const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      // Servers close connections that have been idle for a while.
      const answer = await connections.get(host)?.ask(request);
      if (answer !== undefined) return answer;
      const connection = new Connection(connect(Number(port), hostname));
      connections.set(host, connection);
      const first = await connection.ask(request);
      if (first === undefined) throw new Error(`${host} gives no answer`);
      return first;
    },
    close() {
      for (const connection of connections.values()) connection.close();
    },
  };
}

type Head = Pick<Answer, 'bytes' | 'status' | 'cache'>;

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #head: Head | undefined;
  #missingBytes = 0;
  #settle: ((head: Head | undefined) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#take(bytes));
    // The `close` event, which follows, settles the request.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#settle?.(undefined));
  }

  /** Undefined if the server has closed the connection. */
  async ask(request: string): Promise<Answer | undefined> {
    if (this.#socket.destroyed) return undefined;
    const began = performance.now();
    const head = await new Promise<Head | undefined>((settle) => {
      this.#settle = settle;
      this.#socket.write(request);
    });
    return head && { tookMs: performance.now() - began, ...head };
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#head !== undefined) this.#missingBytes -= bytes.length;
    else {
      this.#received = Buffer.concat([this.#received, bytes]);
      const end = this.#received.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.#head = parseHead(this.#received.toString('latin1', 0, end));
      this.#missingBytes = this.#head.bytes - (this.#received.length - end - 4);
      this.#received = Buffer.alloc(0);
    }
    if (this.#missingBytes > 0) return;
    this.#settle?.(this.#head);
    this.#settle = undefined;
    this.#head = undefined;
  }
}

function parseHead(head: string): Head {
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
  return {
    bytes: Number(length),
    status: Number(head.split(' ', 2)[1]),
    cache: /^x-cache: *(\w+)/im.exec(head)?.[1],
  };
}
