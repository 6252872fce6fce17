import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createPlaces, type PlacesOptions } from './places.ts';
import { createRefusals, type RefusalsOptions } from './refusals.ts';

/**
 * `known`: it is the user's own. `stranger`: it may still show the token. `refused`: there is nothing here for it, and it
 * is reset, which leaves no trace of it in the kernel's table that the next one is looked up in.
 */
export type Standing = 'known' | 'stranger' | 'refused';

export type Judge = (socket: Socket) => Standing | Promise<Standing>;

/** Every connection waits here, unread, until it is clear whose it is. Nobody else can take the places of the user. */
export type Door = {
  /** Connections that came earlier are judged now. */
  open(judge: Judge): void;
  /** A request of the connection is being answered from now on. */
  began(socket: Socket): void;
  ended(socket: Socket): void;
  /** A stranger has shown the token. */
  trust(socket: Socket): void;
  /** Ends what has not got in. */
  close(): void;
};

export type DoorOptions = {
  readonly known?: PlacesOptions;
  readonly strangers?: PlacesOptions;
  readonly refused?: RefusalsOptions;
};

/** Beyond these a connection is reset: each takes a file descriptor. */
const MOST_UNJUDGED = 4_096;

/** Takes over who becomes a connection of the HTTP server. To be called before anything else listens to it. */
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
  // A property of every server of Node, though only net.createServer takes it as an option.
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
