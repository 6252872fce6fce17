import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { Caller } from './gate.ts';

/** Linux lists every TCP socket of the network namespace here, with the user that owns it. */
const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** Users that have no name in this user namespace all show as this one, so it identifies nobody. */
const OVERFLOW_UID = 65_534;

const LISTENING = '0A';

/**
 * The kernel writes the table page by page. Sockets that come and go between two pages move the others, so that a row
 * can be missed; a caller that is not found is looked for again.
 */
const MOST_READS = 4;

/** Finds out which user owns the other end of a loopback connection. */
export type CallerLookup = { identify(socket: Socket): Promise<Caller> };

export type CallerLookupOptions = {
  /** The user who started the server. */
  readonly uid?: number | undefined;
  readonly readRows?: () => Promise<readonly SocketRow[]>;
};

/**
 * Undefined where the system cannot tell. The proof that it can is our own listening socket: it must be in the table
 * under our own user id.
 */
export function createCallerLookup(
  listeningPort: number,
  { uid = process.getuid?.(), readRows = readSocketRows }: CallerLookupOptions = {},
): CallerLookup | undefined {
  if (process.platform !== 'linux' || uid === undefined || uid === OVERFLOW_UID) return undefined;
  const port = hex(listeningPort, 4);
  const isListed = SOCKET_TABLES.some((table) =>
    parseSocketTable(readTableSync(table)).some(
      (row) => row.state === LISTENING && row.local.endsWith(`:${port}`) && row.uid === uid,
    ),
  );
  if (!isListed) return undefined;
  const readShared = shareReads(readRows);
  return {
    async identify(socket) {
      const { remoteAddress, remotePort, localAddress, localPort } = socket;
      if (!remoteAddress || !remotePort || !localAddress || !localPort) return 'unknown';
      // The row of the caller's end: what is remote to us is local to it.
      const ends = {
        local: endpointForms(remoteAddress, remotePort),
        remote: endpointForms(localAddress, localPort),
      };
      for (let read = 0; read < MOST_READS; read++) {
        const owner = findOwner(await readShared(), ends);
        if (owner !== undefined) return owner === uid || owner === 0 ? 'same_user' : 'other_user';
      }
      return 'unknown';
    },
  };
}

export type SocketRow = {
  /** Address and port in the table's own hexadecimal form. */
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly uid: number;
  /** 0 for a socket that its process has closed; the kernel then shows user 0, which must not pass for root. */
  readonly inode: number;
};

export type ConnectionEnds = { readonly local: ReadonlySet<string>; readonly remote: ReadonlySet<string> };

/** The user that owns the one open socket with these ends. A row that moved can be in the table twice. */
export function findOwner(rows: readonly SocketRow[], { local, remote }: ConnectionEnds): number | undefined {
  const owners = rows.filter((row) => row.inode !== 0 && local.has(row.local) && remote.has(row.remote));
  return new Set(owners.map(({ inode }) => inode)).size === 1 ? owners[0]?.uid : undefined;
}

export function parseSocketTable(table: string): SocketRow[] {
  const rows: SocketRow[] = [];
  for (const line of table.split('\n').slice(1)) {
    const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || state === undefined || inode === undefined) continue;
    rows.push({ local, remote, state, uid: Number(uid), inode: Number(inode) });
  }
  return rows;
}

/** How the tables may write an endpoint: an IPv4 address also as the IPv6 address that maps it. */
export function endpointForms(address: string, port: number): ReadonlySet<string> {
  const suffix = `:${hex(port, 4)}`;
  const plain = address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
  if (isIPv4(plain)) {
    const word = littleEndianWord(plain.split('.').map(Number));
    return new Set([word + suffix, `0000000000000000FFFF0000${word}${suffix}`]);
  }
  return isIPv6(plain) ? new Set([ipv6Words(plain) + suffix]) : new Set();
}

/** The kernel prints each 32-bit word of an address in the machine's byte order, little endian wherever Node runs. */
function littleEndianWord(bytes: readonly number[]): string {
  return bytes
    .toReversed()
    .map((byte) => hex(byte, 2))
    .join('');
}

function ipv6Words(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const bytes = groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [Math.floor(value / 256), value % 256];
  });
  return [0, 4, 8, 12].map((start) => littleEndianWord(bytes.slice(start, start + 4))).join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

function readTableSync(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

async function readSocketRows(): Promise<SocketRow[]> {
  const tables = await Promise.all(SOCKET_TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  return tables.flatMap(parseSocketTable);
}

/**
 * One read at a time, whatever the number of connections. Whoever asks during a read gets the next one: the running
 * one may have passed the place of the new row already.
 */
function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    const started = read();
    running = started;
    return started.finally(() => {
      if (running === started) running = undefined;
    });
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}
