import { createKernel } from './kernel.ts';

/** The functions of runs.kernel.ts. Addresses and lengths are in bytes of its memory. */
type RunFunctions = {
  /**
   * Unpacks PackBits until the input ends or `count` bytes are written, and returns how many were. Up to 15 bytes more
   * are read and written. The address of the first byte that was not read is at address 0.
   */
  unpack(from: number, length: number, to: number, count: number): number;
  /** Up to 15 bytes more are read from each plane, and 30 more written. */
  joinPairs(low: number, high: number, count: number, to: number): void;
  spread(plane: number, count: number, to: number, step: number): void;
};

const runs = createKernel<RunFunctions>('runs');

/** Loads and stores may access this many bytes beyond their range. */
const SLACK_BYTES = 64;

export type UnpackedPlanes = {
  /** The bytes of a pixel together, each at its place; those that are missing are 0. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly planes: readonly UnpackedPlane[];
};

export type UnpackedPlane = {
  readonly written: number;
  /** The part of the packed bytes that was not needed. */
  readonly rest: Uint8Array;
};

export type PlanesOfPixels = {
  /** Bytes of each plane after unpacking. */
  readonly pixels: number;
  /** The place of each plane's bytes in a pixel. */
  readonly places: readonly number[];
};

/** Unpacks the byte planes of a frame; undefined if the processor lacks vector instructions. */
export function unpackPlanes(
  packed: readonly Uint8Array[],
  { pixels, places }: PlanesOfPixels,
): UnpackedPlanes | undefined {
  const kernel = runs();
  if (kernel === undefined) return undefined;
  const pixelBytes = packed.length;
  const from = SLACK_BYTES;
  const first = from + Math.max(...packed.map(({ length }) => length)) + SLACK_BYTES;
  const to = first + pixels * pixelBytes + SLACK_BYTES;
  return kernel.use(to + pixels * pixelBytes + SLACK_BYTES, (functions, memory) => {
    const readEnd = new Uint32Array(memory.buffer, 0, 1);
    const planes = packed.map((bytes, i): UnpackedPlane => {
      const plane = first + i * pixels;
      memory.set(bytes, from);
      const written = functions.unpack(from, bytes.length, plane, pixels);
      memory.fill(0, plane + written, plane + pixels);
      return { written, rest: bytes.subarray(readEnd[0]! - from) };
    });
    // A single plane is the result.
    if (pixelBytes === 1) return { bytes: memory.slice(first, first + pixels), planes };
    const isPair = pixelBytes === 2;
    if (isPair) functions.joinPairs(first + places.indexOf(0) * pixels, first + places.indexOf(1) * pixels, pixels, to);
    else
      for (const [i, place] of places.entries()) functions.spread(first + i * pixels, pixels, to + place, pixelBytes);
    return { bytes: memory.slice(to, to + pixels * pixelBytes), planes };
  });
}
