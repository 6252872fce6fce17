import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createPlaces, type PlacesOptions } from './places.ts';
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
