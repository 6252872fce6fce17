import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { createDoor, type Door, type Judge } from './door.ts';

type House = {
  readonly door: Door;
  /** Requests that are not answered yet, by path. */
  readonly asked: Map<string, ServerResponse>;
  connect(): Promise<Guest>;
};

type Guest = {
  readonly socket: Socket;
  /** The server's end of the connection. */
  readonly accepted: Socket;
  ask(path: string): void;
  readonly state: { answers: number; end: 'open' | 'closed' | 'reset' };
};

/** A server with places for two known connections and one stranger. Paths with `later` are answered by the test. */
async function openHouse(judge?: Judge, { graceMs = 0 } = {}): Promise<House> {
  const server = createServer();
  const door = createDoor(server, { known: { limit: 2, graceMs }, strangers: { limit: 1, endsBusy: true, graceMs } });
  const asked = new Map<string, ServerResponse>();
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.on('request', ({ url = '', socket }, response) => {
    door.began(socket);
    response.once('close', () => door.ended(socket));
    if (url.includes('trust')) door.trust(socket);
    if (url.includes('later')) asked.set(url, response);
    else response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    door.close();
    server.close();
    server.closeAllConnections();
  });
  if (judge !== undefined) door.open(judge);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  return {
    door,
    asked,
    async connect() {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const state: Guest['state'] = { answers: 0, end: 'open' };
      socket.on('data', (text) => (state.answers += text.toString().split('HTTP/1.1 200').length - 1));
      socket.on('error', () => (state.end = 'reset'));
      socket.on('close', () => (state.end = state.end === 'reset' ? 'reset' : 'closed'));
      const before = accepted.length;
      await until(() => accepted.length > before);
      const ask = (path: string) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return { socket, accepted: accepted[before]!, ask, state };
    },
  };
}

test('nothing of a connection is read before it is judged', async () => {
  let decide: ((standing: 'known') => void) | undefined;
  const house = await openHouse(() => new Promise((settle) => (decide = settle)));
  const guest = await house.connect();
  guest.ask('/');
  // Sent, and acknowledged by the kernel.
  await until(() => guest.socket.writableLength === 0 && decide !== undefined);
  await new Promise((next) => setTimeout(next, 50));

  expect(guest.accepted.bytesRead).toBe(0);

  decide?.('known');
  await until(() => guest.state.answers === 1);
});

test('connections that came before the door opened are judged when it does', async () => {
  const house = await openHouse();
  const guest = await house.connect();
  guest.ask('/');

  expect(guest.state.answers).toBe(0);
  house.door.open(() => 'known');
  await until(() => guest.state.answers === 1);
});

test.each<[string, Judge]>([
  ['refused', () => 'refused'],
  ['not to be judged', () => Promise.reject(new Error('no table'))],
])('a connection that is %s is reset', async (_, judge) => {
  const house = await openHouse(judge);
  const guest = await house.connect();

  await until(() => guest.state.end !== 'open');

  expect(guest.state.end).toBe('reset');
});

test('of connections that have not asked for anything the oldest makes room', async () => {
  const house = await openHouse(() => 'known');
  const [first, second] = [await house.connect(), await house.connect()];

  const third = await house.connect();
  third.ask('/');
  await until(() => third.state.answers === 1);

  await until(() => first.state.end === 'closed');
  expect(second.state.end).toBe('open');
});

test('a connection that has been answered stays longer than one that never asked', async () => {
  const house = await openHouse(() => 'known');
  const kept = await house.connect();
  kept.ask('/');
  await until(() => kept.state.answers === 1);
  const silent = await house.connect();

  await house.connect();

  await until(() => silent.state.end === 'closed');
  expect(kept.state.end).toBe('open');
});

test('a connection that is being served stays, and a new one waits until it ends', async () => {
  const house = await openHouse(() => 'known');
  const [first, second] = [await house.connect(), await house.connect()];
  first.ask('/later/1');
  second.ask('/later/2');
  await until(() => house.asked.size === 2);
  const third = await house.connect();
  third.ask('/later/3');
  await new Promise((next) => setTimeout(next, 50));
  expect(house.asked.size).toBe(2);

  house.asked.get('/later/2')?.end('done');

  await until(() => house.asked.has('/later/3'));
  // The answered connection was closed to make room, not the one that still waits for its response.
  expect([first.state.end, second.state.answers]).toEqual(['open', 1]);
});

test('a connection that was just opened is given time to ask', async () => {
  const house = await openHouse(() => 'known', { graceMs: 60_000 });
  const [first, second] = [await house.connect(), await house.connect()];
  const third = await house.connect();
  third.ask('/');

  first.ask('/');
  second.ask('/');
  await until(() => first.state.answers === 1 && second.state.answers === 1);

  expect(third.state.answers).toBe(0);
  first.socket.destroy();
  await until(() => third.state.answers === 1);
});

test('strangers make room for each other, whatever they ask for, and never take a place of the user', async () => {
  let standing: 'known' | 'stranger' = 'known';
  const house = await openHouse(() => standing);
  const own = [await house.connect(), await house.connect()];
  standing = 'stranger';
  const first = await house.connect();
  first.ask('/later');
  await until(() => house.asked.size === 1);

  const second = await house.connect();
  second.ask('/');
  await until(() => second.state.answers === 1);

  expect(first.state.end).toBe('closed');
  expect(own.map(({ state }) => state.end)).toEqual(['open', 'open']);
});

test('a stranger that has sent the token is no longer counted as one', async () => {
  const house = await openHouse(() => 'stranger');
  const trusted = await house.connect();
  trusted.ask('/trust/later');
  await until(() => house.asked.size === 1);

  for (let i = 0; i < 3; i++) {
    const other = await house.connect();
    other.ask('/');
    await until(() => other.state.answers === 1);
  }
  house.asked.get('/trust/later')?.end('done');

  await until(() => trusted.state.answers === 1);
  expect(trusted.state.end).toBe('open');
});
