import { close as closeCallback, open as openCallback, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { linesBetween, parseRows, type SocketRow, type SocketTable } from './socketTable.ts';
import type { SocketTableThread } from './socketTableThread.ts';

/** The rows of a table with this port at one end and one of the callers' ports at the other. */
export type ReadRows = (table: SocketTable, port: number, callers: readonly number[]) => Promise<readonly SocketRow[]>;

/** Tables with more pages than this count as long. A page has about 27 rows. */
const FEW_PAGES = 8;

/** All servers of a process use the same one, because nothing in it belongs to a server. */
let thread: SocketTableThread | undefined;

/**
 * A short table is read in Node's thread pool. Each page takes a round trip to the pool and a turn of the event loop;
 * with the thousands of rows that another user can create, this would delay the user's requests. A long table is
 * therefore read in one go in a separate thread, which is started when the first long table is found and returns only
 * the requested rows. An error counts as an empty table.
 */
export function createSocketTableReader(): ReadRows {
  const long = new Set<SocketTable>();

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

/** Undefined if the table is long. The kernel returns at most one page per read, whatever the size of the buffer. */
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
