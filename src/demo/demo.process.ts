// Entry point of the process that writes the demo study into a given folder.
import { constants, getPriority, setPriority } from 'node:os';
import { writeFirstFile } from './writeDemoPart.ts';
import { writeDemoParts } from './writeDemoParts.ts';

// The parent process has ended, and its folder is gone.
process.once('disconnect', () => process.exit(1));

// The user looks at the first slice while the others are generated, so the server, its threads and the browser take
// precedence. With a much lower priority, the study would never be complete on a busy machine. Threads that are started
// later inherit the priority.
const STEPS = 5;
try {
  setPriority(Math.min(getPriority() + STEPS, constants.priority.PRIORITY_LOW));
} catch {
  // If setting the priority is not permitted, all processes have the same.
}

const [, , folder = '', only] = process.argv;
try {
  // Used by the build, which includes the first slice in the package.
  if (only === 'first') writeFirstFile(folder);
  else await writeDemoParts(folder, (written) => process.send?.({ written }));
  process.exit(0);
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
