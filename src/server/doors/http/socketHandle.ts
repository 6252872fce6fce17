import { fstatSync } from 'node:fs';
import type { Server, Socket } from 'node:net';

/**
 * Undocumented properties of Node's sockets. If they are missing, the functions here return undefined or false, and no
 * caller is taken for the user who started the server.
 */
type Handle = { readonly fd?: unknown; readonly getpeername?: (out: object) => unknown };

/**
 * The inode of the socket, read from its open descriptor. The number is unique in the system while the descriptor is
 * open.
 */
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
 * Whether the kernel still has this connection. False as soon as the other end resets it, even before Node has read the
 * event; `remoteAddress` would still be set.
 */
export function isConnected(socket: Socket): boolean {
  return handleOf(socket)?.getpeername?.({}) === 0;
}

function handleOf(owner: Socket | Server): Handle | undefined {
  const handle: unknown = Reflect.get(owner, '_handle');
  return typeof handle === 'object' && handle !== null ? handle : undefined;
}
