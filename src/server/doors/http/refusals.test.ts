import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { createRefusals, type RefusalsOptions } from './refusals.ts';

/** A server that refuses every connection, and a client that opens connections one after the other. */
async function refuseAll(options: RefusalsOptions) {
  const refusals = createRefusals(options);
  let refused = 0;
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => undefined);
    refusals.refuse(socket);
    refused++;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    refusals.close();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const ended: number[] = [];
  return {
    refusals,
    ended,
    open: async (count: number) => {
      for (let i = 0; i < count; i++) {
        const number = sockets.length;
        const socket = connect(port, '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        socket.on('error', () => undefined);
        socket.on('close', () => ended.push(number));
        sockets.push(socket);
        await until(() => refused === sockets.length);
      }
    },
  };
}

test('a connection that is refused is reset at once', async () => {
  const { open, ended } = await refuseAll({ atOnce: 3 });
  await open(3);
  await until(() => ended.length === 3);
  expect(new Set(ended)).toEqual(new Set([0, 1, 2]));
});

test('of a flood, as many are held as there is room for, and those that were held first go', async () => {
  // Each interval releases one in a hundred, rounded up, so one of three: the held connections end one by one, in
  // order.
  const { open, ended, refusals } = await refuseAll({ atOnce: 0, mostHeld: 3 });
  await open(5);
  await until(() => ended.length >= 2);
  expect(ended.slice(0, 2)).toEqual([0, 1]);
  await until(() => ended.length === 5);
  expect(ended).toEqual([0, 1, 2, 3, 4]);

  await open(2);
  refusals.close();
  await until(() => ended.length === 7);
});

test('hundreds of refused connections are released a few at a time', async () => {
  const { open, ended } = await refuseAll({ atOnce: 0, mostHeld: 1_000 });
  const before = performance.now();
  await open(300);
  // At most three are released per interval of 50 ms, so releasing all takes at least 100 intervals, however slow the
  // machine is.
  const most = 3 * Math.ceil((performance.now() - before) / 50 + 1);
  expect(ended.length).toBeLessThanOrEqual(most);
});
