import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function collectGarbage(): void {
  // V8 exposes `gc` only in contexts that are created while the flag is set.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
