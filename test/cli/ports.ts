import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** The port that a listening server has. */
export function portOf(server: { address(): ReturnType<Server['address']> }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** A port of the loopback that something else holds until the test ends. */
export async function takePort(): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const release = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(release);
  return { port: portOf(server), release };
}

export async function findFreePort(): Promise<number> {
  const { port, release } = await takePort();
  await release();
  return port;
}
