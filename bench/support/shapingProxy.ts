import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Link = {
  /** There and back. */
  readonly latencyMs: number;
  /** In each direction, for all connections together. */
  readonly megabits: number;
};

export type ShapingProxy = {
  readonly url: string;
  /** Bytes that have come down the line so far. */
  readonly downBytes: () => number;
  readonly close: () => Promise<void>;
};

/** When so many more bytes will have arrived. They go one after the other. */
type Line = (bytes: number) => number;

/** What one connection may have on the line; it is read on when less is. */
const MOST_ON_THE_LINE = 128 * 1024;
/** Connections take turns in pieces of this size. */
const PIECE_BYTES = 8 * 1024;

/** A thin and long line to a server, which all connections share. */
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
      // Whoever goes away takes the other side along.
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
    // An empty piece is the end.
    pieces.push({ bytes: Buffer.alloc(0), arrivesAt: line(0) });
    wait();
  });
}
