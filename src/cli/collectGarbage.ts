import { getHeapSpaceStatistics } from 'node:v8';

export type GarbageCollection = { stop(): void };

const LOOK_EVERY_MS = 10_000;
/** What must have come to the old generation since the last collection. */
const WORTH_BYTES = 2 ** 20;
/** More than the 64 MiB outside its heap at which V8 begins a collection. None of it is ever touched. */
const PRESSURE_BYTES = 96 * 2 ** 20;

/**
 * Has the garbage of this thread collected while there is little of it. V8 would wait until there are tens of megabytes:
 * a cache that is full turns over some ten in an hour, each with as much outside the heap, and a server that has become
 * idle would never need the space. The collection is V8's usual one, beside the work and in small steps.
 */
export function startGarbageCollection(lookEveryMs = LOOK_EVERY_MS): GarbageCollection {
  let heldBytes = oldBytes();
  let isOwed = false;
  const look = () => {
    const bytes = oldBytes();
    const hasGrown = bytes > heldBytes + WORTH_BYTES;
    // Once more after it has grown: what was needed at the first time may not be any more.
    if (hasGrown || isOwed) pressForCollection();
    isOwed = hasGrown;
    heldBytes = hasGrown ? bytes : Math.min(heldBytes, bytes);
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

function pressForCollection(): void {
  try {
    void new ArrayBuffer(PRESSURE_BYTES);
  } catch {
    // Where so much address space is not to be had, V8 has collected at once.
  }
}
