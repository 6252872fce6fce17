import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createRefusals, type RefusalsOptions } from './refusals.ts';

/**
 * `known`: a connection of the user. `stranger`: it may still present the token. `refused`: it can get nothing here and
 * is reset, because a reset leaves no row in the kernel's socket table, in which the next connection is looked up.
 */
export type Standing = 'known' | 'stranger' | 'refused';

export type Judge = (socket: Socket) => Standing | Promise<Standing>;

/**
 * Every connection waits here, unread, until its owner is known. Strangers cannot take the places reserved for the
 * user.
 */
export type Door = {
  /** Starts judging connections, including those that arrived earlier. */
  open(judge: Judge): void;
  /** A request on this connection has started. */
  began(socket: Socket): void;
  ended(socket: Socket): void;
  /** The stranger has presented the token. */
  trust(socket: Socket): void;
  /** Ends all connections that have not been admitted. */
  close(): void;
};

export type DoorOptions = {
  readonly known?: PlacesOptions;
  readonly strangers?: PlacesOptions;
  readonly refused?: RefusalsOptions;
};

/** Further connections are reset, because each takes a file descriptor. */
const MOST_UNJUDGED = 4_096;

/**
 * Controls which sockets the HTTP server gets to handle. Must be called before other connection listeners are added.
 */
export function createDoor(
  server: Server,
  {
    known: ofKnown = { limit: 256 },
    strangers: ofStrangers = { limit: 128, endsBusy: true },
    refused,
  }: DoorOptions = {},
): Door {
  const known = createPlaces(ofKnown);
  const strangers = createPlaces(ofStrangers);
  const refusals = createRefusals(refused);
  const outside = new Set<Socket>();
  let startJudging: ((judge: Judge) => void) | undefined;
  const opened = new Promise<Judge>((settle) => {
    startJudging = settle;
  });

  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  // Every Node server has this property, but only net.createServer accepts it as an option.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    if (outside.size >= MOST_UNJUDGED) {
      socket.resetAndDestroy();
      return;
    }
    outside.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => outside.delete(socket));
    void receive(socket);
  });

  const receive = async (socket: Socket): Promise<void> => {
    const standing = await opened.then((judge) => judge(socket)).catch((): Standing => 'refused');
    if (standing === 'refused') {
      outside.delete(socket);
      refusals.refuse(socket);
    } else if (!socket.destroyed) (standing === 'known' ? known : strangers).enter(socket, () => letIn(socket));
  };

  const letIn = (socket: Socket) => {
    outside.delete(socket);
    socket.off('error', ignore);
    for (const listener of serve) listener.call(server, socket);
    socket.resume();
  };

  const placesOf = (socket: Socket) => (known.has(socket) ? known : strangers);

  return {
    open: (judge) => startJudging?.(judge),
    began: (socket) => placesOf(socket).began(socket),
    ended: (socket) => placesOf(socket).ended(socket),
    trust: (socket) => strangers.moveTo(known, socket),
    close() {
      for (const socket of outside) socket.destroy();
      refusals.close();
    },
  };
}

function ignore(): void {}

/** Limits the number of simultaneous connections and decides which one is closed when more arrive. */
type Places = {
  /** Calls `begin` once the connection has a place, possibly immediately. */
  enter(socket: Socket, begin: () => void): void;
  /** A request on this connection has started. */
  began(socket: Socket): void;
  ended(socket: Socket): void;
  /** Moves the connection to another set of places, if that has room. */
  moveTo(others: Places, socket: Socket): void;
  /** Accepts a connection from another set of places; returns false if there is no room. */
  takeOver(socket: Socket, guest: Guest): boolean;
  has(socket: Socket): boolean;
};

export type PlacesOptions = {
  readonly limit: number;
  /** Whether a connection with a request in flight may be closed as well. */
  readonly endsBusy?: boolean;
  /**
   * Minimum time that a connection keeps its place after it was opened or last used: a new connection is about to send
   * a request. On the same machine, browsers and scripts send it within a millisecond; through a tunnel it takes a
   * round trip.
   */
  readonly graceMs?: number;
};

/** Further connections are dropped, so that waiting ones do not use up all file descriptors. */
const MOST_WAITING = 4_096;

/** `sinceMs`: when a request last started or ended, or the connection entered. `requests`: the number in flight. */
export type Guest = { sinceMs: number; requests: number; hasAsked: boolean };

/**
 * When all places are taken, the connection that has been idle longest is closed: first those that never sent a
 * request, then those kept open between requests.
 */
function createPlaces({ limit, endsBusy = false, graceMs = 100 }: PlacesOptions): Places {
  // In the order of last activity.
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

  /**
   * Closes one connection and returns 0. Returns the time to wait if it is too soon, or undefined if none can be
   * closed.
   */
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
