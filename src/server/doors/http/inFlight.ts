import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Tracks which connections have a request in flight, and drops clients that stop reading. */
export type InFlight = {
  begin(socket: Socket, response: ServerResponse): void;
  /** Settles when no request is in flight. */
  whenIdle(): Promise<void>;
};

export type InFlightOptions = {
  readonly observer?: { requestBegan(): void; requestEnded(): void } | undefined;
  /** How long a client may go without reading before it is dropped. */
  readonly writeStallMs?: number;
};

export function trackInFlight(server: Server, { observer, writeStallMs = 30_000 }: InFlightOptions = {}): InFlight {
  const busy = new Map<Socket, number>();
  let idle: (() => void) | undefined;

  // Node restarts this timer whenever bytes move, so it expires for a connection without a request and for a client
  // that stopped reading. A slow route is not affected, because it has no unsent bytes.
  server.setTimeout(writeStallMs, (socket) => {
    if (!busy.has(socket) || socket.writableLength > 0) socket.destroy();
  });
  return {
    begin(socket, response) {
      busy.set(socket, (busy.get(socket) ?? 0) + 1);
      observer?.requestBegan();
      response.once('close', () => {
        const left = (busy.get(socket) ?? 1) - 1;
        if (left > 0) busy.set(socket, left);
        else busy.delete(socket);
        observer?.requestEnded();
        if (busy.size === 0) idle?.();
      });
    },
    whenIdle() {
      return new Promise((settle) => {
        if (busy.size === 0) settle();
        else idle = settle;
      });
    },
  };
}
