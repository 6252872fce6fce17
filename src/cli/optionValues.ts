import { isIP } from 'node:net';
import { isReaderName } from '../shared/readerName.ts';
import { TABLE_LEVELS, type TableLevel } from '../shared/tableLevel.ts';
import type { Flag } from './options.ts';
import { printable } from './printable.ts';
import { UsageError } from './usageError.ts';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MEBIBYTE = 1024 ** 2;
const MOST_MEMORY = 1024 ** 5;
// A Node timer holds at most 2^31 - 1 milliseconds, which is a little more than 24 days.
const LONGEST_TIMEOUT_SECONDS = 2_000_000;

export function parsePort(flag: Flag, value: string, least: 0 | 1): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port >= least && port <= 65_535) return port;
  throw refusal(flag, value, `a port is a whole number from ${least} to 65535`);
}

export function parseTimeout(flag: Flag, value: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (seconds > 0 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds;
  throw refusal(flag, value, `a number of seconds above 0, at most ${LONGEST_TIMEOUT_SECONDS}`);
}

/** Bytes, from `512M`, `2G`, `1.5GiB`: units are powers of 1024. */
export function parseMemory(flag: Flag, value: string, leastMebibytes: number): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([kmgt]?)(?:i?b)?$/i.exec(value) ?? [];
  const bytes = Math.floor(
    Number(number ?? Number.NaN) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf((unit ?? '').toLowerCase()),
  );
  if (bytes >= leastMebibytes * MEBIBYTE && bytes <= MOST_MEMORY) return bytes;
  throw refusal(flag, value, `a size of at least ${leastMebibytes}M, written like 512M or 2G`);
}

export function parseLogLevel(flag: Flag, value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level) return level;
  throw refusal(flag, value, `one of ${LOG_LEVELS.join(', ')}`);
}

/** A host name or address without a port; the optional brackets of an IPv6 address are removed. */
export function parseHostName(flag: Flag, value: string): string {
  const name = value.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(name) !== 0 || /^[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?$/.test(name)) return name;
  throw refusal(flag, value, 'a host name or an address, without a port');
}

/** A page that may frame the viewer, as a source of a content security policy. */
export function parseAncestor(flag: Flag, value: string): string {
  if (value === 'self') return "'self'";
  // The pages of an editor's tab, and the editor around them.
  if (value === 'vscode-webview:' || value === 'vscode-file:') return value;
  if (/^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(value)) return value.toLowerCase();
  throw refusal(flag, value, 'self, an origin such as https://hub.example:8000, vscode-webview: or vscode-file:');
}

/** A prefix of paths without the slash at its end. */
export function parseBasePath(flag: Flag, value: string): string {
  const path = value.replace(/\/$/, '');
  const isPlain = /^(\/[\w.~-]+)+$/.test(path) && !path.split('/').some((part) => part === '.' || part === '..');
  if (isPlain && path.length <= 1024) return path;
  throw refusal(flag, value, 'a path such as /node/c12/8042, of letters, digits and . _ ~ -');
}

/** An origin as browsers send it: lower case, without the port that its scheme implies. */
export function parseOrigin(flag: Flag, value: string): string {
  const isOrigin = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?\/?$/i.test(value) && URL.canParse(value);
  if (isOrigin) return new URL(value).origin;
  throw refusal(flag, value, 'an origin such as https://viewer.example:3000, without a path');
}

/** A destination that ssh accepts: a host or an alias from the user's configuration, with or without a user name. */
export function parseSshHost(flag: Flag, value: string): string {
  // ssh would interpret a leading dash as an option, and some of its options run commands.
  if (/^[^\s\-\p{Cc}][^\s\p{Cc}]*$/u.test(value)) return value;
  throw refusal(flag, value, 'an ssh destination: HOST or USER@HOST');
}

export function parseCount(flag: Flag, value: string, most: number): number {
  const count = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw refusal(flag, value, `a whole number from 1 to ${most}`);
}

/** The address of a storage server, without credentials. */
export function parseEndpoint(flag: Flag, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return value;
  // The value is not repeated, because it may contain a password.
  throw new UsageError(`${flag}: an address such as https://storage.example:9000, without user and query`);
}

/** The address of an assistant, which may have credentials. */
export function parseAssistant(flag: Flag, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    // Its endpoints are below the path.
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    return url.href;
  }
  // The value is not repeated, because it may contain a password.
  throw new UsageError(`${flag}: an address such as http://127.0.0.1:8500, without a query`);
}

export function parseRegion(flag: Flag, value: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(value)) return value;
  throw refusal(flag, value, 'the name of a region, such as eu-central-1');
}

/** Who decides in a review. */
export function parseReader(flag: Flag, value: string): string {
  if (isReaderName(value)) return value;
  throw refusal(flag, value, 'a name of 1 to 64 letters, digits, spaces and . _ - @ +');
}

/** What is decided in a review. */
export function parseUnits(flag: Flag, value: string): TableLevel {
  const level = TABLE_LEVELS.find((one) => one === value);
  if (level !== undefined) return level;
  throw refusal(flag, value, `one of ${TABLE_LEVELS.join(', ')}`);
}

function refusal(flag: Flag, value: string, allowed: string): UsageError {
  return new UsageError(`${flag} ${printable(value)}: ${allowed}`);
}
