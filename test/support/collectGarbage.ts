import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function collectGarbage(): void {
  // V8 hands its collector only to contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
