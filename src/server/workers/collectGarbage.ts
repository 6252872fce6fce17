import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects the garbage of this thread immediately, which takes a few milliseconds if the heap is small. */
export function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

function findCollector(): () => void {
  // V8 exposes its collector only to contexts that are created while the flag is set.
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what V8 calls gc
  return typeof found === 'function' ? (found as () => void) : () => {};
}
