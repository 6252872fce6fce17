import type { Socket } from 'node:net';

/** How many connections there may be at once, and who has to go when more come. */
export type Places = {
  /** Calls `begin` when there is a place for the connection, which may be at once. */
  enter(socket: Socket, begin: () => void): void;
  /** A request of the connection is being answered from now on. */
  began(socket: Socket): void;
  ended(socket: Socket): void;
  /** Moves a connection to other places, if there is one. */
  moveTo(others: Places, socket: Socket): void;
  /** Whether there is a place for a connection that comes from other places. */
  takeOver(socket: Socket, guest: Guest): boolean;
  has(socket: Socket): boolean;
};

export type PlacesOptions = {
  readonly limit: number;
  /** Whether a connection whose request is being answered may be ended, too. */
  readonly endsBusy?: boolean;
  /**
   * So long a connection keeps its place whatever comes: one that has just been opened is about to ask. Browsers and
   * scripts ask within a millisecond on the same machine; one that comes through a tunnel takes a round trip.
   */
  readonly graceMs?: number;
};

/** Beyond these a connection is dropped, so that waiting ones do not take all file descriptors. */
const MOST_WAITING = 4_096;

/** When it last began or ended something, and how many requests of it are being answered. */
export type Guest = { sinceMs: number; requests: number; hasAsked: boolean };

/**
 * When all places are taken, the connection that has had nothing to do for the longest time makes room: first those that
 * never asked for anything, then those that are kept open between requests.
 */
export function createPlaces({ limit, endsBusy = false, graceMs = 100 }: PlacesOptions): Places {
  // In the order of their last sign of life.
  const guests = new Map<Socket, Guest>();
  const line = new Map<Socket, () => void>();
  let timer: NodeJS.Timeout | undefined;

  const add = (socket: Socket, guest: Guest) => {
    guests.set(socket, guest);
    socket.once('close', () => {
      guests.delete(socket);
      fill();
    });
  };

  const touch = (socket: Socket, guest: Guest) => {
    guest.sinceMs = performance.now();
    guests.delete(socket);
    guests.set(socket, guest);
  };

  const findDispensable = (): [Socket, Guest] | undefined => {
    const all = [...guests];
    return (
      all.find(([, { requests, hasAsked }]) => requests === 0 && !hasAsked) ??
      all.find(([, { requests }]) => requests === 0) ??
      (endsBusy ? all[0] : undefined)
    );
  };

  /** Ends one connection; returns how long to wait where that would be too soon, undefined where there is none. */
  const dismissOne = (): number | undefined => {
    const [socket, guest] = findDispensable() ?? [];
    if (socket === undefined || guest === undefined) return undefined;
    const restMs = guest.sinceMs + graceMs - performance.now();
    if (restMs > 0) return restMs;
    guests.delete(socket);
    socket.destroy();
    return 0;
  };

  const fill = () => {
    while (line.size > 0) {
      if (guests.size >= limit) {
        const waitMs = dismissOne();
        if (waitMs === 0) continue;
        if (waitMs !== undefined) timer ??= setTimeout(fillLater, waitMs).unref();
        return;
      }
      const [[socket, begin] = []] = line;
      if (socket === undefined || begin === undefined) return;
      line.delete(socket);
      add(socket, { sinceMs: performance.now(), requests: 0, hasAsked: false });
      begin();
    }
  };
  const fillLater = () => {
    timer = undefined;
    fill();
  };

  return {
    enter(socket, begin) {
      if (line.size >= MOST_WAITING) {
        socket.destroy();
        return;
      }
      line.set(socket, begin);
      socket.once('close', () => line.delete(socket));
      fill();
    },
    began(socket) {
      const guest = guests.get(socket);
      if (guest === undefined) return;
      guest.hasAsked = true;
      guest.requests++;
      touch(socket, guest);
    },
    ended(socket) {
      const guest = guests.get(socket);
      if (guest === undefined) return;
      guest.requests--;
      touch(socket, guest);
      fill();
    },
    moveTo(others, socket) {
      const guest = guests.get(socket);
      if (guest === undefined || !others.takeOver(socket, guest)) return;
      guests.delete(socket);
      fill();
    },
    takeOver(socket, guest) {
      if (guests.size >= limit && dismissOne() !== 0) return false;
      add(socket, guest);
      return true;
    },
    has: (socket) => guests.has(socket),
  };
}
