import { type MessagePort, parentPort } from 'node:worker_threads';
import { useRemoteLink } from '../server/bytes/origins/origins.ts';
import { readRemoteLink } from '../server/machine/workers/serveTasks.ts';
import { type IndexTableAnswer, type IndexTableInput, writeIndexTable } from './indexTable.ts';

// Entry point of the thread that reads files for an index and writes it.
function serve(port: MessagePort): void {
  port.once('message', (input: IndexTableInput) => {
    port.postMessage(tryToWrite(input));
  });
}

function tryToWrite(input: IndexTableInput): IndexTableAnswer {
  try {
    return { found: writeIndexTable(input) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

if (parentPort !== null) {
  useRemoteLink(readRemoteLink());
  serve(parentPort);
}
