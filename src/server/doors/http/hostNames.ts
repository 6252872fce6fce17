import { isIPv4 } from 'node:net';

/** Allows every host name. */
export const ANY_HOST = '*';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Whether other machines can reach an address. A name other than localhost can resolve to anything. */
export function isPublicHost(host: string): boolean {
  return !(host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.')));
}

/**
 * The host names that the gate accepts: the local ones, those the user allowed, and the bound address unless it is a
 * wildcard.
 */
export function allowedHosts(boundHost: string | undefined, allowed: readonly string[]): ReadonlySet<string> {
  const bound = boundHost === undefined || isWildcard(boundHost) ? [] : [toUrlHost(boundHost)];
  return new Set([...LOCAL_HOSTS, ...bound, ...allowed].map((host) => host.toLowerCase()));
}

/** The host to use in a URL that reaches the bound address from this machine. */
export function reachableHost(boundHost: string): string {
  if (boundHost === '0.0.0.0') return '127.0.0.1';
  return boundHost === '::' ? '[::1]' : toUrlHost(boundHost);
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function toUrlHost(host: string): string {
  // Only an IPv6 address has a colon. Calling isIPv6 would compile its pattern, which adds milliseconds to every start.
  return host.includes(':') ? `[${host}]` : host;
}
