import { close as closeCallback, open as openCallback, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { linesBetween, parseRows, type SocketRow, type SocketTable } from './socketTable.ts';
import type { SocketTableThread } from './socketTableThread.ts';

/** The rows of a table with this port at one end and one of the callers' ports at the other. */
export type ReadRows = (table: SocketTable, port: number, callers: readonly number[]) => Promise<readonly SocketRow[]>;

/** Tables with more pages than these are long. A page has some 27 rows. */
const FEW_PAGES = 8;

/**
 * A short table is read in Node's pool. Each page of it is a way there and back, and a turn of the event loop; with the
 * thousands of rows that a stranger can make, this would hold up the user. So a long table is read at a stretch in a
 * thread of its own, which is started when the first one is met and returns only the rows that are asked for. Any error
 * is an empty table.
 */
export function createSocketTableReader(): ReadRows {
  const long = new Set<SocketTable>();
  let thread: SocketTableThread | undefined;

  const readLines: typeof readInThread = async (table, port, callers) => {
    const lines = long.has(table) ? undefined : await readShort(table);
    if (lines !== undefined) return lines;
    long.add(table);
    return readInThread(table, port, callers);
  };

  const readInThread = async (table: SocketTable, port: number, callers: readonly number[]): Promise<string> => {
    if (thread === undefined) {
      const { startSocketTableThread } = await import('./socketTableThread.ts');
      thread ??= startSocketTableThread(() => {
        thread = undefined;
      });
    }
    const { lines, pages } = await thread.read({ table, port, callers });
    if (pages <= FEW_PAGES / 2) long.delete(table);
    return lines;
  };

  return async (table, port, callers) => {
    const lines = await readLines(table, port, callers).catch(() => '');
    return parseRows(linesBetween(lines, port, callers), port);
  };
}

const openFile = promisify(openCallback);
const closeFile = promisify(closeCallback);
const readFile = promisify(readCallback);

/** Undefined where the table is long. The kernel gives at most a page at a time, whatever the size of the buffer. */
async function readShort(table: SocketTable): Promise<string | undefined> {
  const file = await openFile(table, 'r');
  try {
    const buffer = Buffer.allocUnsafe(16 * 1024);
    let text = '';
    for (let page = 0; page <= FEW_PAGES; page++) {
      const { bytesRead } = await readFile(file, buffer, 0, buffer.length, null);
      if (bytesRead === 0) return text;
      text += buffer.toString('latin1', 0, bytesRead);
    }
    return undefined;
  } finally {
    await closeFile(file);
  }
}
