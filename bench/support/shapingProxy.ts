import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Link = {
  /** Round trip. */
  readonly latencyMs: number;
  /** In each direction, shared by all connections. */
  readonly megabits: number;
};

export type ShapingProxy = {
  readonly url: string;
  /** Bytes received from the server so far. */
  readonly downBytes: () => number;
  readonly close: () => Promise<void>;
};

/** Returns the time at which the given number of further bytes will have arrived. Bytes are sent in sequence. */
type Line = (bytes: number) => number;

/** Maximum number of bytes in flight per connection; reading resumes when there are fewer. */
const MOST_ON_THE_LINE = 128 * 1024;
/** Connections take turns in pieces of this size. */
const PIECE_BYTES = 8 * 1024;

/** A slow link with high latency to a server, shared by all connections. */
export async function startShapingProxy(target: string, link: Link): Promise<ShapingProxy> {
  const { hostname, port } = new URL(target);
  const [up, down] = [createLine(link), createLine(link)];
  const sockets = new Set<Socket>();
  let downBytes = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
      // Destroying this socket also closes the other side.
      socket.on('error', () => socket.destroy());
    }
    carry(client, upstream, up);
    carry(upstream, client, (bytes) => {
      downBytes += bytes;
      return down(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    downBytes: () => downBytes,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function createLine({ latencyMs, megabits }: Link): Line {
  const bytesPerMs = (megabits * 1e6) / 8 / 1000;
  let freeAt = 0;
  return (bytes) => {
    freeAt = Math.max(freeAt, performance.now()) + bytes / bytesPerMs;
    return freeAt + latencyMs / 2;
  };
}

function carry(from: Socket, to: Socket, line: Line): void {
  const pieces: { readonly bytes: Buffer; readonly arrivesAt: number }[] = [];
  let onTheLine = 0;
  let timer: NodeJS.Timeout | undefined;

  const deliver = () => {
    timer = undefined;
    for (let next = pieces[0]; next !== undefined && next.arrivesAt <= performance.now(); next = pieces[0]) {
      pieces.shift();
      onTheLine -= next.bytes.length;
      if (to.destroyed) continue;
      if (next.bytes.length === 0) to.destroy();
      else to.write(next.bytes);
    }
    if (onTheLine <= MOST_ON_THE_LINE) from.resume();
    wait();
  };
  const wait = () => {
    const next = pieces[0];
    if (next !== undefined) timer ??= setTimeout(deliver, Math.max(0, next.arrivesAt - performance.now()));
  };

  from.on('data', (data: Buffer) => {
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      const bytes = data.subarray(at, at + PIECE_BYTES);
      pieces.push({ bytes, arrivesAt: line(bytes.length) });
    }
    onTheLine += data.length;
    if (onTheLine > MOST_ON_THE_LINE) from.pause();
    wait();
  });
  from.on('close', () => {
    // An empty piece marks the end.
    pieces.push({ bytes: Buffer.alloc(0), arrivesAt: line(0) });
    wait();
  });
}
