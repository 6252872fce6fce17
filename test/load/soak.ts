// npm run soak -- --minutes 60 [--rate 20] [--seed 1] [--allocator default]
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { askOnce, report, startTrafficServer, type Tally, watchServer } from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** `default`: as a user starts it. Its memory then also varies with the freed blocks that the C library keeps. */
    allocator: { type: 'string', default: 'returning' },
  },
});
const random = createRandom(Number(values.seed));
const endMs = performance.now() + Number(values.minutes) * 60_000;

// Five requests per second have a new window, so that the cache of the smallest possible memory is full after 15
// minutes.
const flags = ['--memory', '64M'];
const allocator = values.allocator === 'default' ? {} : RETURN_FREED_MEMORY;
const server = await startTrafficServer(Number(values.seed), flags, allocator);
const tally: Tally = new Map();
const watch = watchServer(server);
try {
  const inFlight = new Set<Promise<void>>();
  while (performance.now() < endMs) {
    const request = askOnce(server, random, tally).finally(() => inFlight.delete(request));
    inFlight.add(request);
    // Limits the number of concurrent requests, so that a slow server is not overloaded.
    if (inFlight.size >= 32) await Promise.race(inFlight);
    await new Promise((next) => setTimeout(next, 1_000 / Number(values.rate)));
  }
  await Promise.all(inFlight);
} finally {
  watch.stop();
  await server.remove();
}
console.log(`${values.rate} requests each second for ${values.minutes} minutes`);
process.exitCode = report(tally, watch.samples) ? 1 : 0;
