// The entry of the process that writes the demo study into the folder that it is given.
import { writeDemoParts } from './writeDemoParts.ts';

// Whoever asked is gone, and its folder with it.
process.once('disconnect', () => process.exit(1));

try {
  await writeDemoParts(process.argv[2] ?? '');
  process.exit(0);
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
