import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** The port of a listening server. */
export function portOf(server: { address(): ReturnType<Server['address']> }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** Holds a loopback port until the test ends or releases it. */
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
