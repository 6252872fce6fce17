import { parentPort, workerData } from 'node:worker_threads';
import { type RemoteConnection, type RemoteSetup, type RemoteTrouble, serveRemote } from './serveRemote.ts';

// Entry point of the thread that has the connections to other machines.
if (parentPort !== null) {
  const port = parentPort;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- remoteAccess.ts sets it
  const setup = workerData as RemoteSetup;
  const connect = serveRemote(setup, (trouble) => port.postMessage({ trouble } satisfies RemoteTrouble));
  port.on('message', ({ link }: RemoteConnection) => connect(link));
}
