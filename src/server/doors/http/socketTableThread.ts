import { startThread } from '../../machine/workers/startThread.ts';
import type { SocketTable } from './socketTable.ts';

export type TableRequest = {
  readonly table: SocketTable;
  readonly port: number;
  readonly callers: readonly number[];
};

/** `lines`: those with the port at one end and one of the callers at the other. `pages`: the length of the table. */
export type TableReply = { readonly lines: string; readonly pages: number };

export type SocketTableThread = { read(request: TableRequest): Promise<TableReply> };

type Waiter = { readonly resolve: (reply: TableReply) => void; readonly reject: (error: Error) => void };

/** A thread that reads long socket tables. It replies in the order of the requests. */
export function startSocketTableThread(onDeath: () => void): SocketTableThread {
  // A table of 100,000 rows is 15 MB of text.
  const worker = startThread('socketTable.worker', { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 });
  const waiting: Waiter[] = [];
  let death: Error | undefined;

  const die = (cause: unknown) => {
    if (death !== undefined) return;
    death = new Error('the thread that reads the socket table has ended', { cause });
    onDeath();
    for (const { reject } of waiting.splice(0)) reject(death);
  };
  worker.on('message', (reply: TableReply) => waiting.shift()?.resolve(reply));
  worker.on('error', die);
  worker.on('exit', die);
  // Waiting connections keep the process alive; the thread must not.
  worker.unref();

  return {
    read: (request) =>
      new Promise((resolve, reject) => {
        if (death !== undefined) {
          reject(death);
          return;
        }
        waiting.push({ resolve, reject });
        worker.postMessage(request);
      }),
  };
}
