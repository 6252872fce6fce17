import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects the garbage of this thread at once, which takes a few milliseconds where the heap is small. */
export function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

function findCollector(): () => void {
  // V8 hands its collector only to contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what V8 calls gc
  return typeof found === 'function' ? (found as () => void) : () => {};
}
