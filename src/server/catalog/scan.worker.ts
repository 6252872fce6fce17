import { parentPort } from 'node:worker_threads';
import { standBack } from '../workers/standBack.ts';
import { serveScan } from './serveScan.ts';

// Entry point of a thread that only walks folders and reads headers.
const port = parentPort;
if (port !== null) {
  standBack();
  port.on(
    'message',
    serveScan((message) => port.postMessage(message)),
  );
}
