import { type MessagePort, parentPort } from 'node:worker_threads';
import { standBack } from '../../machine/workers/standBack.ts';
import { serveTable } from './serveTable.ts';
import type { TableThreadRequest } from './tableMessages.ts';

// Entry point of the thread that has the table of files: filtering and sorting a million rows takes up to a second.
function serve(port: MessagePort): void {
  standBack();
  const take = serveTable((reply, transfer) => port.postMessage(reply, [...transfer]));
  port.on('message', (request: TableThreadRequest) => take(request));
}

if (parentPort !== null) serve(parentPort);
