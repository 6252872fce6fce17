import { readFileSync } from 'node:fs';
import { distFolder } from '../../workers/workerFile.ts';
import { webAssembly, type WebAssemblyMemory } from '../codecs/webAssembly.ts';
import { FREE } from './deflateLayout.ts';

/** The functions of deflate.kernel.ts. Addresses and lengths are in bytes of its memory. */
export type DeflateKernel = {
  readonly memory: WebAssemblyMemory;
  /** The gray level of each sample of two bytes. Up to seven more samples are read, and levels written. */
  lookUp(samples: number, count: number, to: number): void;
  /** Each row minus the one above it, with the number of that filter in front. The row above the first is read too. */
  filterUp(pixels: number, rows: number, bytesPerRow: number, to: number): void;
  /** The checksum of RFC 1950, going on from `state`. */
  adler32(at: number, length: number, state: number): number;
  /** Adds to the counts of the symbols that `emit` will write. */
  count(at: number, length: number): void;
  /** Two codes in one for each two bytes that have one. `emit` reads them. */
  pairUp(): void;
  /** Writes the symbols and the end of the block behind `bits`, and answers where the next byte goes. */
  emit(at: number, length: number, to: number, bits: number, bitCount: number): number;
};

const PAGE_BYTES = 65_536;

/** With so many bytes of memory behind the tables. Throws a CompileError on a processor without vector instructions. */
export function createDeflateKernel(bytes: number): DeflateKernel {
  const memory = new webAssembly.Memory({ initial: Math.ceil((FREE + bytes) / PAGE_BYTES) });
  const module = new webAssembly.Module(readFileSync(new URL('kernels/deflate.wasm', distFolder())));
  const { exports } = new webAssembly.Instance(module, { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of deflate.kernel.ts
  return { ...(exports as Omit<DeflateKernel, 'memory'>), memory };
}
