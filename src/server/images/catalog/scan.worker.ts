import { parentPort } from 'node:worker_threads';
import { useRemoteLink } from '../../bytes/origins/origins.ts';
import { readRemoteLink } from '../../machine/workers/serveTasks.ts';
import { standBack } from '../../machine/workers/standBack.ts';
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
