import { readFileSync } from 'node:fs';
import { distFolder } from './workerFile.ts';

/** The WebAssembly code of `name.kernel.ts`, which is part of the package. */
export function readKernel(name: string): Uint8Array {
  return readFileSync(new URL(`kernels/${name}.wasm`, distFolder()));
}
