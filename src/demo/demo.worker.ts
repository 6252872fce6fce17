// The entry of the threads that write the demo study.
import { serveTasks, taskHandler } from '../server/workers/serveTasks.ts';
import { writeDemoTask } from './demoTask.ts';
import { writeDemoPart } from './writeDemoPart.ts';

serveTasks([taskHandler(writeDemoTask, async () => writeDemoPart)]);
