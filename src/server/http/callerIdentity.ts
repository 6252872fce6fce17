import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { Caller } from './gate.ts';

/** Linux lists every TCP socket of the network namespace here, with the user that owns it. */
const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

export type SocketTable = (typeof SOCKET_TABLES)[number];

/** Users that have no name in this user namespace all show as this one, so it identifies nobody. */
const OVERFLOW_UID = 65_534;

const LISTENING = '0A';

/**
 * The kernel writes the table page by page. Sockets that come and go between two pages move the others, so that a row
 * can be missed; a caller that is not found is looked for again.
 */
const MOST_ROUNDS = 4;

/** Finds out which user owns the other end of a loopback connection. */
export type CallerLookup = { identify(socket: Socket): Promise<Caller> };

export type CallerLookupOptions = {
  /** The user who started the server. */
  readonly uid?: number | undefined;
  /** The text of a table. */
  readonly readTable?: (table: SocketTable) => Promise<string>;
};

/**
 * Undefined where the system cannot tell. The proof that it can is our own listening socket: it must be in the table
 * under our own user id.
 */
export function createCallerLookup(
  listeningPort: number,
  { uid = process.getuid?.(), readTable = readTableApart }: CallerLookupOptions = {},
): CallerLookup | undefined {
  if (process.platform !== 'linux' || uid === undefined || uid === OVERFLOW_UID) return undefined;
  const port = hex(listeningPort, 4);
  const isListed = SOCKET_TABLES.some((table) =>
    parseSocketTable(readTableSync(table)).some(
      (row) => row.state === LISTENING && row.local.endsWith(`:${port}`) && row.uid === uid,
    ),
  );
  if (!isListed) return undefined;
  const reads = new Map(
    SOCKET_TABLES.map((table) => [table, shareReads(async () => linesByLocalEnd(await readTable(table)))]),
  );
  return {
    async identify(socket) {
      const { remoteAddress, remotePort, localAddress, localPort } = socket;
      if (!remoteAddress || !remotePort || !localAddress || !localPort) return 'unknown';
      // The row of the caller's end: what is remote to us is local to it.
      const ends = {
        local: endpointForms(remoteAddress, remotePort),
        remote: endpointForms(localAddress, localPort),
      };
      for (let round = 0; round < MOST_ROUNDS; round++) {
        for (const table of tablesOf(remoteAddress)) {
          const owner = findOwner(findRows((await reads.get(table)?.()) ?? new Map(), ends), ends);
          if (owner !== undefined) return owner === uid || owner === 0 ? 'same_user' : 'other_user';
        }
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

type TableLines = ReadonlyMap<string, readonly string[]>;

/** The lines of a table by the end that they begin with. A busy machine has thousands, and few are taken further apart. */
function linesByLocalEnd(table: string): TableLines {
  const lines = new Map<string, string[]>();
  for (const line of table.split('\n')) {
    const start = line.indexOf(': ') + 2;
    const end = line.slice(start, line.indexOf(' ', start));
    const known = lines.get(end);
    if (known === undefined) lines.set(end, [line]);
    else known.push(line);
  }
  return lines;
}

function findRows(lines: TableLines, { local }: ConnectionEnds): SocketRow[] {
  const rows = [...local].flatMap((end) => lines.get(end) ?? []).map(parseRow);
  return rows.filter((row) => row !== undefined);
}

export function parseSocketTable(table: string): SocketRow[] {
  const rows = table.split('\n').slice(1).map(parseRow);
  return rows.filter((row) => row !== undefined);
}

function parseRow(line: string): SocketRow | undefined {
  const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/);
  if (local === undefined || remote === undefined || state === undefined || inode === undefined) return undefined;
  return { local, remote, state, uid: Number(uid), inode: Number(inode) };
}

/** How the tables may write an endpoint: an IPv4 address also as the IPv6 address that maps it. */
export function endpointForms(address: string, port: number): ReadonlySet<string> {
  const suffix = `:${hex(port, 4)}`;
  const plain = unmapped(address);
  if (isIPv4(plain)) {
    const word = littleEndianWord(plain.split('.').map(Number));
    return new Set([word + suffix, `0000000000000000FFFF0000${word}${suffix}`]);
  }
  return isIPv6(plain) ? new Set([ipv6Words(plain) + suffix]) : new Set();
}

/**
 * Where the row of a caller can be, the likelier table first: a caller with an IPv4 address has a socket of IPv6 where it
 * asked for the mapped address. The kernel takes milliseconds to write a table, and gives no two open sockets the same
 * ends, whichever of the two lists them: a row that is found is the only one.
 */
function tablesOf(address: string): readonly SocketTable[] {
  return isIPv4(unmapped(address)) ? SOCKET_TABLES : ['/proc/net/tcp6'];
}

function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
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

function readTableApart(table: SocketTable): Promise<string> {
  return readFile(table, 'latin1').catch(() => '');
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
