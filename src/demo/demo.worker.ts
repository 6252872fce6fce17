// Entry point of the threads that write the demo study.
import { BroadcastChannel } from 'node:worker_threads';
import { serveTasks, taskHandler } from '../server/machine/workers/serveTasks.ts';
import { WRITTEN_CHANNEL, writeDemoTask } from './demoTask.ts';
import { writeDemoPart } from './writeDemoPart.ts';

// The thread computes without a pause and answers when the whole part is written, so the channel reports each file.
const written = new BroadcastChannel(WRITTEN_CHANNEL);
serveTasks([
  taskHandler(
    writeDemoTask,
    async () => (input, context) => writeDemoPart(input, context, (path) => written.postMessage(path)),
  ),
]);
