// The real worker, except that a file with "deadly" in its path ends the thread, as a fault in a decoder can.
import { parentPort } from 'node:worker_threads';
import { type KnownSource, placeOf } from '../../src/server/bytes/origins/origins.ts';
import '../../src/server/worker.ts';

parentPort?.on('message', ({ input }: { readonly input?: { readonly file?: KnownSource } }) => {
  // oxlint-disable-next-line unicorn/no-process-exit -- in a worker it ends the thread only
  if (input?.file !== undefined && placeOf(input.file).includes('deadly')) process.exit(1);
});
