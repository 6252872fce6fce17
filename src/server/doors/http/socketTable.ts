import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';

/** Linux lists all TCP sockets of the network namespace in these files, with the user that owns each. */
export const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
export type SocketTable = (typeof SOCKET_TABLES)[number];

export type SocketRow = {
  /** Address and port in the hexadecimal form of the table. */
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly uid: number;
  /** 0 for a socket that no process holds: not accepted yet, or closed. The kernel then shows user 0. */
  readonly inode: number;
};

export const ESTABLISHED = '01';
export const LISTENING = '0A';

/** The rows of one table that have this port at either end. An error counts as an empty table. */
export function readSocketRowsSync(table: SocketTable, port: number): readonly SocketRow[] {
  try {
    return parseRows(readFileSync(table, 'latin1'), port);
  } catch {
    return [];
  }
}

/** A busy machine has thousands of rows, so only those with the port are parsed. */
export function parseRows(lines: string, port: number): SocketRow[] {
  const rows: SocketRow[] = [];
  for (const line of linesWith(lines, port)) {
    const row = parseRow(line);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** The lines that have the port at one end and one of the callers' ports at either end. */
export function linesBetween(lines: string, port: number, callers: readonly number[]): string {
  const wanted = new Set(callers.map((caller) => hex(caller, 4)));
  let found = '';
  for (const line of linesWith(lines, port)) {
    // `  12: 0100007F:1F90 0100007F:C350 01 ...`
    const local = line.indexOf(':', line.indexOf(':') + 1) + 1;
    const remote = line.indexOf(':', local) + 1;
    if (wanted.has(line.slice(local, local + 4)) || wanted.has(line.slice(remote, remote + 4))) found += `${line}\n`;
  }
  return found;
}

function* linesWith(lines: string, port: number): Generator<string> {
  const wanted = `:${hex(port, 4)} `;
  for (let at = lines.indexOf(wanted); at !== -1; at = lines.indexOf(wanted, at)) {
    const end = endOfLine(lines, at);
    yield lines.slice(lines.lastIndexOf('\n', at) + 1, end);
    at = end;
  }
}

function endOfLine(lines: string, from: number): number {
  const end = lines.indexOf('\n', from);
  return end === -1 ? lines.length : end;
}

const ROW = /^ *\d+: ([\dA-F]+:[\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) ([\dA-F]{2}) \S+ \S+ \S+ +(\d+) +\d+ (\d+) /;

function parseRow(line: string): SocketRow | undefined {
  const [, local, remote, state, uid, inode] = ROW.exec(line) ?? [];
  if (local === undefined || remote === undefined || state === undefined) return undefined;
  return { local, remote, state, uid: Number(uid), inode: Number(inode) };
}

/** The forms in which the tables may list an endpoint: an IPv4 address also as its IPv4-mapped IPv6 address. */
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
 * The tables that can contain the rows of a connection, the likelier one first. The other end of an IPv4 connection is
 * an IPv6 socket if its process connected to the mapped address.
 */
export function tablesOf(address: string): readonly SocketTable[] {
  return isIPv4(unmapped(address)) ? SOCKET_TABLES : ['/proc/net/tcp6'];
}

function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

/**
 * The kernel prints each 32-bit word of an address in the machine's byte order, which is little endian wherever Node
 * runs.
 */
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
