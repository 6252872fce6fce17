import { closeSync, openSync, readSync } from 'node:fs';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { linesBetween } from './socketTable.ts';
import type { TableReply, TableRequest } from './socketTableThread.ts';

// Entry point of the thread that reads long socket tables.
function serve(port: MessagePort): void {
  const page = Buffer.allocUnsafe(16 * 1024);
  port.on('message', ({ table, port: ours, callers }: TableRequest) => {
    port.postMessage(readTable(table, page, (lines) => linesBetween(lines, ours, callers)));
  });
}

function readTable(table: string, page: Buffer, choose: (lines: string) => string): TableReply {
  const pieces: string[] = [];
  const file = openSync(table, 'r');
  try {
    for (;;) {
      const bytesRead = readSync(file, page, 0, page.length, null);
      if (bytesRead === 0) break;
      pieces.push(page.toString('latin1', 0, bytesRead));
    }
  } finally {
    closeSync(file);
  }
  return { lines: choose(pieces.join('')), pages: pieces.length };
}

if (parentPort !== null) serve(parentPort);
