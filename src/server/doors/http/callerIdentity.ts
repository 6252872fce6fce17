import type { Server, Socket } from 'node:net';
import { addTo } from '../../../shared/addTo.ts';
import type { Caller } from './gate.ts';
import { inodeOf, isConnected } from './socketHandle.ts';
import {
  endpointForms,
  ESTABLISHED,
  LISTENING,
  readSocketRowsSync,
  SOCKET_TABLES,
  type SocketRow,
  tablesOf,
} from './socketTable.ts';
import { createSocketTableReader, type ReadRows } from './socketTableReader.ts';

/** The kernel shows this id for all users that have no mapping in this user namespace, so it identifies nobody. */
const OVERFLOW_UID = 65_534;

/**
 * The kernel writes the table page by page. Sockets that open or close between two pages shift the other rows, so that
 * a row can be missed. A caller that is not found is therefore looked up again, up to this many times in all.
 */
const MOST_ROUNDS = 4;

/** Determines which user owns the other end of a loopback connection. */
export type CallerLookup = { identify(socket: Socket): Promise<Caller> };

export type CallerLookupOptions = {
  /** The user who started the server. */
  readonly uid?: number | undefined;
  readonly readRows?: ReadRows;
};

/**
 * Undefined if the system cannot identify callers. To verify that it can, the server's own listening socket must be in
 * a table, with its inode and its user id.
 */
export function createCallerLookup(
  server: Server,
  { uid = process.getuid?.(), readRows = createSocketTableReader() }: CallerLookupOptions = {},
): CallerLookup | undefined {
  const address = server.address();
  if (process.platform !== 'linux' || uid === undefined || uid === OVERFLOW_UID) return undefined;
  if (typeof address !== 'object' || address === null) return undefined;
  const { port } = address;
  const listener = inodeOf(server);
  const isListed = tablesOf(address.address).some((table) =>
    readSocketRowsSync(table, port).some((row) => row.state === LISTENING && row.inode === listener && row.uid === uid),
  );
  if (!isListed) return undefined;
  const reads = new Map(
    SOCKET_TABLES.map((table) => [
      table,
      shareReads(async (callers) => rowsByEnds(await readRows(table, port, callers))),
    ]),
  );

  return {
    async identify(socket) {
      const { remoteAddress, remotePort, localAddress, localPort } = socket;
      const inode = inodeOf(socket);
      if (!remoteAddress || !remotePort || !localAddress || !localPort || inode === undefined) return 'unknown';
      const connection = {
        inode,
        ours: endpointForms(localAddress, localPort),
        theirs: endpointForms(remoteAddress, remotePort),
      };
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const rows: SocketRow[] = [];
        for (const table of tablesOf(localAddress)) {
          const reading = await reads.get(table)?.(remotePort);
          if (reading !== undefined) rows.push(...rowsOf(reading, connection));
          // The rows were not written at one instant. The pair of endpoints identifies this caller only while the
          // server's end exists, so the connection must still be alive now, after the caller's row was read.
          if (!isConnected(socket)) return 'unknown';
          const owner = findOwner(rows, connection);
          if (owner !== undefined) return owner === uid || owner === 0 ? 'same_user' : 'other_user';
        }
      }
      return 'unknown';
    },
  };
}

export type Connection = {
  /** Inode of the server's end. */
  readonly inode: number;
  readonly ours: ReadonlySet<string>;
  readonly theirs: ReadonlySet<string>;
};

/**
 * The user at the other end of the connection whose server end has this inode. Undefined unless that end and exactly
 * one other socket, its mirror, are established: after a reset, the next connection from the same port may belong to
 * another caller, and the connection accepted first must not be attributed to that caller. A row that shifted can be
 * listed twice.
 */
export function findOwner(rows: readonly SocketRow[], { inode, ours, theirs }: Connection): number | undefined {
  const held = rows.filter((row) => row.inode !== 0);
  const own = held.filter((row) => ours.has(row.local) && theirs.has(row.remote));
  const other = held.filter((row) => theirs.has(row.local) && ours.has(row.remote));
  const [caller] = other;
  if (caller === undefined || own.length === 0) return undefined;
  const isOwn = own.every((row) => row.inode === inode && row.state === ESTABLISHED);
  const isOne = other.every((row) => row.inode === caller.inode && row.uid === caller.uid && row.state === ESTABLISHED);
  return isOwn && isOne ? caller.uid : undefined;
}

type RowsByEnds = ReadonlyMap<string, readonly SocketRow[]>;

/** Indexed, because one read serves thousands of connections. Sockets that no process holds are skipped. */
function rowsByEnds(rows: readonly SocketRow[]): RowsByEnds {
  const byEnds = new Map<string, SocketRow[]>();
  for (const row of rows) {
    if (row.inode === 0) continue;
    const key = `${row.local} ${row.remote}`;
    addTo(byEnds, key, row);
  }
  return byEnds;
}

/** The rows of both ends of the connection. */
function rowsOf(reading: RowsByEnds, { ours, theirs }: Connection): SocketRow[] {
  const rows: SocketRow[] = [];
  for (const our of ours) {
    for (const their of theirs) {
      rows.push(...(reading.get(`${our} ${their}`) ?? []), ...(reading.get(`${their} ${our}`) ?? []));
    }
  }
  return rows;
}

/**
 * Runs one read at a time for the ports of all waiting callers. A caller that arrives during a read gets the next one,
 * because the running read may already have passed the position of the new row.
 */
function shareReads<T>(read: (callers: readonly number[]) => Promise<T>): (caller: number) => Promise<T> {
  let running: Promise<T> | undefined;
  let next: { readonly callers: number[]; readonly reading: Promise<T> } | undefined;
  const start = (callers: readonly number[]): Promise<T> => {
    const started = read(callers);
    running = started;
    return started.finally(() => {
      if (running === started) running = undefined;
    });
  };
  return (caller) => {
    if (running === undefined) return start([caller]);
    if (next === undefined) {
      const callers: number[] = [];
      const begin = () => {
        next = undefined;
        return start(callers);
      };
      next = { callers, reading: running.then(begin, begin) };
    }
    next.callers.push(caller);
    return next.reading;
  };
}
