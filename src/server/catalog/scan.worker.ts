import { parentPort } from 'node:worker_threads';
import { useRemoteLink } from '../origins/origins.ts';
import { readRemoteLink } from '../workers/serveTasks.ts';
import { standBack } from '../workers/standBack.ts';
import { serveScan } from './serveScan.ts';

// Entry point of a thread that only walks folders and reads headers.
if (parentPort !== null) {
  const port = parentPort;
  standBack();
  useRemoteLink(readRemoteLink());
  port.on(
    'message',
    serveScan((message) => port.postMessage(message)),
  );
}
