import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collector = (options?: { readonly type: 'minor' }) => void;

let collect: Collector | undefined;

/** Collects the garbage of this thread immediately, which takes a few milliseconds if the heap is small. */
export function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

/** The same for objects that have just been created and dropped, such as pieces of a stream: in less than a millisecond. */
export function collectNewGarbage(): void {
  collect ??= findCollector();
  collect({ type: 'minor' });
}

function findCollector(): Collector {
  // V8 exposes its collector only to contexts that are created while the flag is set.
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what V8 calls gc
  return typeof found === 'function' ? (found as Collector) : () => {};
}
