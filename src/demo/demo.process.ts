// The entry of the process that writes the demo study into the folder that it is given.
import { constants, getPriority, setPriority } from 'node:os';
import { writeFirstFile } from './writeDemoPart.ts';
import { writeDemoParts } from './writeDemoParts.ts';

// Whoever asked is gone, and its folder with it.
process.once('disconnect', () => process.exit(1));

// Somebody looks at the first slice while the others are made: the server, its threads and the browser go first. Much
// lower, and on a busy machine the study would never be whole. The threads that are begun later inherit it.
const STEPS = 5;
try {
  setPriority(Math.min(getPriority() + STEPS, constants.priority.PRIORITY_LOW));
} catch {
  // Where it is forbidden all processes are equal.
}

const [, , folder = '', only] = process.argv;
try {
  // For the build, which ships the first slice.
  if (only === 'first') writeFirstFile(folder);
  else await writeDemoParts(folder, (written) => process.send?.({ written }));
  process.exit(0);
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
