import { inflatedBytesIn } from '../../machine/memory/memoryPlan.ts';
import { MIB } from '../../machine/system/mib.ts';
import { defineTask, type Task } from '../../machine/workers/task.ts';
import { DeflatedExplicitVrLittleEndian, isNativeSyntax } from './transferSyntax.ts';

/** Memory for reading the elements of a file without its pixels; most files need far less. */
export function readBytesOf(file: CostFactors): number {
  return headerMemoryOf(headerBytesOf(file)) + (isDeflated(file) ? inflationBytesOf(file.fileBytes) : 0);
}

/** The cost of a task that reads the elements of one file. */
export function readingCost(timeoutMs: number) {
  return { timeoutMs, mostBytes: (_: unknown, file: CostFactors) => readBytesOf(file) };
}

/** A task that reads the elements of one file. */
export function readingTask<Input, Output>(name: string, timeoutMs: number): Task<Input, Output, CostFactors> {
  return defineTask(name, readingCost(timeoutMs));
}

/** The same for a file of which only the length is known. */
export function readBytesOfAny(fileBytes: number): number {
  return headerMemoryOf(fileBytes) + inflationBytesOf(fileBytes);
}

/** The properties that determine the cost of reading a file, and of decoding one of its frames. */
export type CostFactors = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly frameCount: number;
  readonly fileBytes: number;
  readonly transferSyntaxUid: string;
};

/** Bytes of one decoded frame. */
export function frameBytesOf({ rows, columns, samplesPerPixel, bitsAllocated }: CostFactors): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, Math.ceil(bitsAllocated / 8));
}

/** Whether the file holds the samples uncompressed, so that they only have to be read. */
export function isUncompressed({ transferSyntaxUid }: CostFactors): boolean {
  return isNativeSyntax(transferSyntaxUid);
}

/** Any deflated file, however short, is assumed to inflate to up to this size. */
const INFLATED_AT_ONCE = 64 * MIB;
const MOST_INFLATION = 200;
/** The output in pieces, the joined output, and the data inflated in the previous step. */
export const INFLATION_FACTOR = 2.5;

/** Memory for inflating `deflatedBytes` of a file, whatever the result, within the task memory `tasksBytes`. */
export function inflationBytesOf(deflatedBytes: number, tasksBytes = Infinity): number {
  const most = Math.max(INFLATED_AT_ONCE, deflatedBytes * MOST_INFLATION);
  return INFLATION_FACTOR * Math.min(most, inflatedBytesIn(tasksBytes));
}

export function isDeflated({ transferSyntaxUid }: CostFactors): boolean {
  return transferSyntaxUid === DeflatedExplicitVrLittleEndian;
}

const LONGEST_HEADER_BYTES = 32 * MIB;
/** An empty item of 8 bytes becomes an object, its place in a list, and garbage. */
const OBJECTS_FACTOR = 12;
/** The reader keeps a limited number of elements and items. */
const MOST_OBJECT_BYTES = 40 * MIB;

function headerMemoryOf(headerBytes: number): number {
  return 4 * MIB + 2 * Math.min(headerBytes, LONGEST_HEADER_BYTES) + objectBytesIn(headerBytes);
}

/** Memory for the objects that hold the values of the header of a file. */
export function objectBytesOf(file: CostFactors): number {
  return objectBytesIn(headerBytesOf(file));
}

function objectBytesIn(headerBytes: number): number {
  return Math.min(OBJECTS_FACTOR * headerBytes, MOST_OBJECT_BYTES);
}

/** The bytes of a file that are not its frames. The length of compressed frames is not known. */
function headerBytesOf(file: CostFactors): number {
  const pixels = isUncompressed(file) ? Math.floor((frameBitsOf(file) * file.frameCount) / 8) : 0;
  return Math.max(0, file.fileBytes - pixels);
}

function frameBitsOf({ rows, columns, samplesPerPixel, bitsAllocated }: CostFactors): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, bitsAllocated);
}
