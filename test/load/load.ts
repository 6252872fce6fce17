// npm run load -- --minutes 10 --clients 32 [--seed 1]
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.ts';
import {
  askOnce,
  count,
  report,
  startTrafficServer,
  type Tally,
  tell,
  type TrafficServer,
  watchServer,
  writeAndRead,
} from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
  },
});
const clients = Number(values.clients);
const endMs = performance.now() + Number(values.minutes) * 60_000;
const isOver = () => performance.now() > endMs;

const server = await startTrafficServer(Number(values.seed));
const tally: Tally = new Map();
const watch = watchServer(server);
try {
  await Promise.all([...Array.from({ length: clients }, (_, client) => runClient(client)), disturb()]);
} finally {
  watch.stop();
  await server.remove();
}
console.log(`${clients} clients, ${values.minutes} minutes`);
process.exitCode = report(tally, watch.samples) ? 1 : 0;

/** Every client edits its own file, so that it must read back what it wrote. */
async function runClient(client: number): Promise<void> {
  const random = createRandom(Number(values.seed), client);
  const own = server.sound[client % server.sound.length]!;
  while (!isOver()) {
    if (client < server.sound.length && random.chance(0.1)) {
      count(tally, `write ${await writeAndRead(server, own, random)}`);
    } else {
      await askOnce(server, random, tally);
    }
  }
}

/**
 * Opens 500 connections and requests 1,000 frames once a minute, with clients that neither send nor read throughout.
 */
async function disturb(): Promise<void> {
  const slow = [...slowHeaders(server, 8), ...slowReaders(server, 8)];
  while (!isOver()) {
    await Promise.all(Array.from({ length: 500 }, () => burst(server)));
    await askFrames(1_000);
    await new Promise((next) => setTimeout(next, Math.max(0, Math.min(60_000, endMs - performance.now()))));
  }
  for (const socket of slow) socket.destroy();
}

/** Sends as many concurrent requests as one user may have connections, and the next ones as these are answered. */
async function askFrames(frames: number): Promise<void> {
  const windows = Array.from({ length: frames }, (_, i) => `wc=${i}&ww=${1_000 + i}`);
  const ask = async () => {
    for (let window = windows.pop(); window !== undefined; window = windows.pop()) {
      const url = `${server.baseUrl}/api/file/${server.sound[0]}/frame/0?${window}`;
      await tell(tally, () => fetch(url));
    }
  };
  await Promise.all(Array.from({ length: 100 }, ask));
}

function open({ baseUrl }: TrafficServer): Socket {
  return connect(Number(new URL(baseUrl).port), '127.0.0.1').on('error', () => {});
}

/** Resolves when the connection was answered or refused. */
function burst(target: TrafficServer): Promise<void> {
  return new Promise((settle) => {
    const socket = open(target);
    socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => {
      count(tally, `burst ${/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 'refused'}`);
      settle();
    });
  });
}

function slowHeaders(target: TrafficServer, sockets: number): Socket[] {
  return Array.from({ length: sockets }, () => {
    const socket = open(target);
    socket.write('GET /api/health HTTP/1.1\r\nHost: loc');
    return socket;
  });
}

function slowReaders(target: TrafficServer, sockets: number): Socket[] {
  return Array.from({ length: sockets }, () => {
    const socket = open(target);
    for (let request = 0; request < 100; request += 1)
      socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket.pause();
  });
}
