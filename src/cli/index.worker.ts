import { type MessagePort, parentPort } from 'node:worker_threads';
import { useRemoteLink } from '../server/bytes/origins/origins.ts';
import { readRemoteLink } from '../server/machine/workers/serveTasks.ts';
import type { OnPart } from '../server/images/tables/joinTables.ts';
import type { IndexAnswer, IndexWork } from './indexWork.ts';
import { writeIndexTable } from './indexTable.ts';
import { mergeIndexes, updateIndex } from './joinIndexes.ts';

// Entry point of the thread that reads files for an index, or other indexes, and writes it.
function serve(port: MessagePort): void {
  port.once('message', (work: IndexWork) => {
    void answerWork(work, (part) => post(port, { kind: 'part', part })).then((answer) => post(port, answer));
  });
}

function post(port: MessagePort, answer: IndexAnswer): void {
  port.postMessage(answer);
}

async function answerWork(work: IndexWork, onPart: OnPart): Promise<IndexAnswer> {
  try {
    if (work.kind === 'merge') return { kind: 'merge', outcome: await mergeIndexes(work.input, onPart) };
    if (work.kind === 'update') return { kind: 'update', outcome: await updateIndex(work.input, onPart) };
    return { kind: 'write', outcome: writeIndexTable(work.input) };
  } catch (error) {
    return { kind: 'problem', problem: error instanceof Error ? error.message : String(error) };
  }
}

if (parentPort !== null) {
  useRemoteLink(readRemoteLink());
  serve(parentPort);
}
