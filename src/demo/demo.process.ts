// The entry of the process that writes the demo study into the folder that it is given.
import { writeFirstFile } from './writeDemoPart.ts';
import { writeDemoParts } from './writeDemoParts.ts';

// Whoever asked is gone, and its folder with it.
process.once('disconnect', () => process.exit(1));

const [, , folder = '', only] = process.argv;
try {
  // For the build, which ships the first slice.
  if (only === 'first') writeFirstFile(folder);
  else await writeDemoParts(folder, (written) => process.send?.({ written }));
  process.exit(0);
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
