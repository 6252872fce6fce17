import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { CallerLookup } from './callerIdentity.ts';
import type { Caller } from './gate.ts';

/** Other users of this machine, together, must not be able to take all connections. */
const MAX_FOREIGN_CONNECTIONS = 64;

/** Asks once for each connection who opened it. */
export type Callers = { of(socket: Socket): Promise<Caller> };

export function trackCallers(server: Server, lookup: CallerLookup): Callers {
  const callers = new WeakMap<Socket, Promise<Caller>>();
  const foreign = new Set<Socket>();

  const meet = (socket: Socket): Promise<Caller> => {
    const known = callers.get(socket);
    if (known !== undefined) return known;
    const caller = lookup.identify(socket).catch((): Caller => 'unknown');
    callers.set(socket, caller);
    return caller;
  };
  server.on('connection', (socket: Socket) => {
    void countForeign(socket);
  });
  const countForeign = async (socket: Socket): Promise<void> => {
    if ((await meet(socket)) !== 'other_user' || socket.destroyed) return;
    foreign.add(socket);
    socket.once('close', () => foreign.delete(socket));
    if (foreign.size > MAX_FOREIGN_CONNECTIONS) socket.destroy();
  };
  return { of: meet };
}
