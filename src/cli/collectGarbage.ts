import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

export type GarbageCollection = { stop(): void };

const LOOK_EVERY_MS = 10_000;
/** What must have come to the old generation since the last collection. */
const WORTH_BYTES = 2 ** 20;
/** The share of its time for which a thread works that has little to do: twenty requests a second take a fiftieth. */
const IDLE_SHARE = 0.1;
/** More than the 64 MiB outside its heap at which V8 begins a collection. None of it is ever touched. */
const PRESSURE_BYTES = 96 * 2 ** 20;

/**
 * Has the garbage of this thread collected when it has little to do: by itself V8 would wait for hours, until there are tens
 * of megabytes. Never under load, where V8 chooses the moment: the last step of a collection may hold up the requests that
 * come meanwhile.
 */
export function startGarbageCollection(lookEveryMs = LOOK_EVERY_MS): GarbageCollection {
  let heldBytes = oldBytes();
  let seen = performance.eventLoopUtilization();
  const look = () => {
    const { utilization } = performance.eventLoopUtilization(seen);
    seen = performance.eventLoopUtilization();
    if (utilization > IDLE_SHARE) return;
    const bytes = oldBytes();
    const isWorth = bytes > heldBytes + WORTH_BYTES;
    if (isWorth) pressForCollection();
    heldBytes = isWorth ? bytes : Math.min(heldBytes, bytes);
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
