import { fstatSync } from 'node:fs';
import type { Server, Socket } from 'node:net';

/**
 * What Node knows of a socket and does not document. Wherever it is missing the answers here are undefined or false, and
 * nobody is taken for the user who started the server.
 */
type Handle = { readonly fd?: unknown; readonly getpeername?: (out: object) => unknown };

/** The inode of the socket itself, by its open descriptor: nothing else in the system has this number meanwhile. */
export function inodeOf(owner: Socket | Server): number | undefined {
  const fd = handleOf(owner)?.fd;
  if (typeof fd !== 'number' || fd < 0) return undefined;
  try {
    const found = fstatSync(fd);
    return found.isSocket() ? found.ino : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the kernel still has this connection. It says no from the moment when the other end resets it, also while the
 * news waits for Node to be read; `remoteAddress` would still be what it was.
 */
export function isConnected(socket: Socket): boolean {
  return handleOf(socket)?.getpeername?.({}) === 0;
}

function handleOf(owner: Socket | Server): Handle | undefined {
  const handle: unknown = Reflect.get(owner, '_handle');
  return typeof handle === 'object' && handle !== null ? handle : undefined;
}
