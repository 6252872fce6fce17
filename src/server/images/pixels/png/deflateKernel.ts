import { readKernel } from '../../../machine/workers/readKernel.ts';
import { webAssembly, type WebAssemblyMemory } from '../codecs/webAssembly.ts';
import { FREE } from './deflateLayout.ts';

/** The functions of deflate.kernel.ts. Addresses and lengths are in bytes of its memory. */
export type DeflateKernel = {
  readonly memory: WebAssemblyMemory;
  /** Looks up the gray level of each two-byte sample. Up to seven additional samples are read, and levels written. */
  lookUp(samples: number, count: number, to: number): void;
  /** Writes each row minus the one above it, preceded by the filter number. The row above the first is read too. */
  filterUp(pixels: number, rows: number, bytesPerRow: number, to: number): void;
  /** The checksum of RFC 1950, continued from `state`. */
  adler32(at: number, length: number, state: number): number;
  /** Adds to the counts of the symbols that `emit` will write. */
  count(at: number, length: number): void;
  /** Combines the codes of each pair of bytes that have one, for `emit`. */
  pairUp(): void;
  /** Writes the symbols and the end of the block after `bits`, and returns the position of the next byte. */
  emit(at: number, length: number, to: number, bits: number, bitCount: number): number;
};

const PAGE_BYTES = 65_536;

/**
 * Creates a kernel with `bytes` of memory after its tables. Throws a CompileError on a processor without vector
 * instructions.
 */
export function createDeflateKernel(bytes: number): DeflateKernel {
  const memory = new webAssembly.Memory({ initial: Math.ceil((FREE + bytes) / PAGE_BYTES) });
  const module = new webAssembly.Module(readKernel('deflate'));
  const { exports } = new webAssembly.Instance(module, { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of deflate.kernel.ts
  return { ...(exports as Omit<DeflateKernel, 'memory'>), memory };
}
