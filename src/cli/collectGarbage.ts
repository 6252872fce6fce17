import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

const LOOK_EVERY_MS = 10_000;
/** Growth of the old generation since the last collection that justifies another one. */
const WORTH_BYTES = 2 ** 20;
/** Share of the time up to which a thread counts as idle: twenty requests per second take a fiftieth. */
const IDLE_SHARE = 0.1;
/** More than the 64 MiB of external memory at which V8 starts a collection. The memory is never touched. */
const PRESSURE_BYTES = 96 * 2 ** 20;

/**
 * Triggers garbage collections while this thread is idle: on its own V8 would wait for hours, until there are tens of
 * megabytes of garbage. Under load V8 chooses the moment, because the last step of a collection may delay requests.
 */
export function startGarbageCollection(): void {
  let seen = performance.eventLoopUtilization();
  const look = createLook(oldBytes(), pressForCollection);
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(seen);
    seen = performance.eventLoopUtilization();
    if (utilization <= IDLE_SHARE) look(oldBytes());
  }, LOOK_EVERY_MS).unref();
}

/** Creates the function that is called at each look with the size of the old generation, initially `heldBytes`. */
export function createLook(heldBytes: number, press: () => void): (bytes: number) => void {
  let isOwed = false;
  let lastBytes = heldBytes;
  return (bytes) => {
    const hasGrown = bytes > heldBytes + WORTH_BYTES;
    // Since the last look a collection has ended. On a busy machine it may have run for longer than the time between
    // two looks, and it keeps what died while it ran.
    const hasFallen = bytes < lastBytes - WORTH_BYTES;
    // Once more after growth: a collection that had already started keeps what has died since.
    if (hasGrown || hasFallen || isOwed) press();
    isOwed = hasGrown;
    heldBytes = hasGrown ? bytes : Math.min(heldBytes, bytes);
    lastBytes = bytes;
  };
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

/** Makes V8 start a concurrent collection, unless one is already running. */
export function pressForCollection(): void {
  try {
    void new ArrayBuffer(PRESSURE_BYTES);
  } catch {
    // If this much address space is not available, V8 has already collected.
  }
}
