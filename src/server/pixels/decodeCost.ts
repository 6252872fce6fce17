import { inflatedBytesIn } from '../memory/memoryPlan.ts';
import { DeflatedExplicitVrLittleEndian } from '../dicom/transferSyntax.ts';
import type { TaskMemory } from '../workers/task.ts';
import { native } from './codecs/native.ts';
import { areSamplesInFile, findCodec } from './codecs/registry.ts';

/** The properties that determine the cost of decoding one frame. */
export type CostFactors = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly frameCount: number;
  readonly fileBytes: number;
  readonly transferSyntaxUid: string;
};

const LONGEST_MS = 30_000;
const MIB = 2 ** 20;

/** 5 s plus 1 s for every 16 megapixels, at most LONGEST_MS. */
export function decodeTimeoutMs({ rows, columns }: CostFactors): number {
  return Math.min(LONGEST_MS, 5_000 + ((rows * columns) / 16e6) * 1_000);
}

/** Bytes of one decoded frame. */
export function frameBytesOf({ rows, columns, samplesPerPixel, bitsAllocated }: CostFactors): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, Math.ceil(bitsAllocated / 8));
}

export function isUncompressed({ transferSyntaxUid }: CostFactors): boolean {
  return areSamplesInFile(transferSyntaxUid);
}

function decodeBytesOf(file: CostFactors): number {
  const { rows, columns, samplesPerPixel, bitsAllocated } = file;
  return estimateDecodeBytes({
    encodedBytes: Math.ceil(file.fileBytes / Math.max(1, file.frameCount)),
    samples: rows * columns * Math.max(1, samplesPerPixel),
    bytesPerSample: Math.max(1, Math.ceil(bitsAllocated / 8)),
    transferSyntaxUid: file.transferSyntaxUid,
  });
}

type DecodeSize = {
  readonly encodedBytes: number;
  readonly samples: number;
  readonly bytesPerSample: number;
  readonly transferSyntaxUid: string;
};

/** Generous estimate of the peak memory of one decode, in bytes. */
export function estimateDecodeBytes({ encodedBytes, samples, bytesPerSample, transferSyntaxUid }: DecodeSize): number {
  const lookup = findCodec(transferSyntaxUid);
  const { workingBytes } = lookup.found ? lookup.codec : native;
  return encodedBytes * 2 + 16 * MIB + workingBytes({ samples, bytes: samples * bytesPerSample });
}

/** Any deflated file, however short, is assumed to inflate to up to this size. */
const INFLATED_AT_ONCE = 64 * MIB;
const MOST_INFLATION = 200;
/** The output in pieces, the joined output, and the data inflated in the previous step. */
const INFLATION_FACTOR = 2.5;

/** The share of the task memory `tasksBytes` that decoding one frame takes. */
export function decodeMemoryOf(file: CostFactors, tasksBytes: number): TaskMemory {
  const bytes = decodeBytesOf(file) + (isUncompressed(file) ? objectBytesOf(headerBytesOf(file)) : 0);
  if (!isDeflated(file)) return { bytes };
  // Everything before a frame must be inflated to read it.
  const whole = bytes + INFLATION_FACTOR * file.frameCount * frameBytesOf(file);
  return { bytes: Math.max(whole, inflationBytesOf(file.fileBytes, tasksBytes)) };
}

const LONGEST_HEADER_BYTES = 32 * MIB;
/** An empty item of 8 bytes becomes an object, its place in a list, and garbage. */
const OBJECTS_FACTOR = 12;
/** The reader keeps a limited number of elements and items. */
const MOST_OBJECT_BYTES = 40 * MIB;

/** Memory for the objects that hold the values of a header. */
function objectBytesOf(headerBytes: number): number {
  return Math.min(OBJECTS_FACTOR * headerBytes, MOST_OBJECT_BYTES);
}

/** The bytes of a file that are not its frames. The length of compressed frames is not known. */
function headerBytesOf(file: CostFactors): number {
  const pixels = isUncompressed(file) ? Math.floor((frameBitsOf(file) * file.frameCount) / 8) : 0;
  return Math.max(0, file.fileBytes - pixels);
}

function headerMemoryOf(headerBytes: number): number {
  return 4 * MIB + 2 * Math.min(headerBytes, LONGEST_HEADER_BYTES) + objectBytesOf(headerBytes);
}

/** Memory for reading the elements of a file without its pixels. */
export function readMemoryOf(file: CostFactors): TaskMemory {
  const inflated = isDeflated(file) ? inflationBytesOf(file.fileBytes) : 0;
  return { bytes: headerMemoryOf(headerBytesOf(file)) + inflated, isUpperBound: true };
}

/** The same for a file of which only the length is known. */
export function readMemoryOfAny(fileBytes: number): TaskMemory {
  return { bytes: headerMemoryOf(fileBytes) + inflationBytesOf(fileBytes), isUpperBound: true };
}

/** Memory for inflating `deflatedBytes` of a file, whatever the result, within the task memory `tasksBytes`. */
export function inflationBytesOf(deflatedBytes: number, tasksBytes = Infinity): number {
  const most = Math.max(INFLATED_AT_ONCE, deflatedBytes * MOST_INFLATION);
  return INFLATION_FACTOR * Math.min(most, inflatedBytesIn(tasksBytes));
}

function isDeflated({ transferSyntaxUid }: CostFactors): boolean {
  return transferSyntaxUid === DeflatedExplicitVrLittleEndian;
}

function frameBitsOf({ rows, columns, samplesPerPixel, bitsAllocated }: CostFactors): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, bitsAllocated);
}
