import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

const LOOK_EVERY_MS = 10_000;
/** What must have come to the old generation since the last collection. */
const WORTH_BYTES = 2 ** 20;
/** The share of its time for which a thread works that has little to do: twenty requests a second take a fiftieth. */
const IDLE_SHARE = 0.1;
/** More than the 64 MiB outside its heap at which V8 begins a collection. None of it is ever touched. */
const PRESSURE_BYTES = 96 * 2 ** 20;

/**
 * Has the garbage of this thread collected when it has little to do: by itself V8 would wait for hours, until there are
 * tens of megabytes. Never under load, where V8 chooses the moment: the last step of a collection may hold up the
 * requests that come meanwhile.
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

/** What is done each time with the bytes of the old generation, which were `heldBytes` at first. */
export function createLook(heldBytes: number, press: () => void): (bytes: number) => void {
  let isOwed = false;
  return (bytes) => {
    const hasGrown = bytes > heldBytes + WORTH_BYTES;
    // Once more after it has grown: a collection that had begun before keeps what has died since.
    if (hasGrown || isOwed) press();
    isOwed = hasGrown;
    heldBytes = hasGrown ? bytes : Math.min(heldBytes, bytes);
  };
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

/** V8 begins a collection beside the work, unless one runs already. */
export function pressForCollection(): void {
  try {
    void new ArrayBuffer(PRESSURE_BYTES);
  } catch {
    // Where so much address space is not to be had, V8 has collected at once.
  }
}
