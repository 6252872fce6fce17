import { inflatedBytesIn } from '../memory/memoryPlan.ts';
import { DeflatedExplicitVrLittleEndian } from '../dicom/transferSyntax.ts';
import type { TaskMemory } from '../workers/task.ts';
import { native } from './codecs/native.ts';
import { areSamplesInFile, findCodec } from './codecs/registry.ts';

/** What the cost of decoding one frame depends on. */
export type FrameShape = {
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

/** 5 s, and 1 s more for every 16 megapixels. */
export function decodeTimeoutMs({ rows, columns }: FrameShape): number {
  return Math.min(LONGEST_MS, 5_000 + ((rows * columns) / 16e6) * 1_000);
}

/** Bytes of one decoded frame. */
export function frameBytesOf({ rows, columns, samplesPerPixel, bitsAllocated }: FrameShape): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, Math.ceil(bitsAllocated / 8));
}

export function isUncompressed({ transferSyntaxUid }: FrameShape): boolean {
  return areSamplesInFile(transferSyntaxUid);
}

export function decodeBytesOf(file: FrameShape): number {
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

/** Bytes that one decode takes at its peak, generously. */
export function estimateDecodeBytes({ encodedBytes, samples, bytesPerSample, transferSyntaxUid }: DecodeSize): number {
  const lookup = findCodec(transferSyntaxUid);
  const { workingBytes } = lookup.found ? lookup.codec : native;
  return encodedBytes * 2 + 16 * MIB + workingBytes({ samples, bytes: samples * bytesPerSample });
}

/** Less than this is inflated of any file, however short it is. */
const INFLATED_AT_ONCE = 64 * MIB;
const MOST_INFLATION = 200;
/** The pieces of the output, all of them together, and what was inflated at the step before. */
const INFLATION_FACTOR = 2.5;

/** What one frame takes of all that tasks may use. */
export function decodeMemoryOf(file: FrameShape, tasksBytes: number): TaskMemory {
  const bytes = decodeBytesOf(file);
  if (!isDeflated(file)) return { bytes };
  // To get at one frame all that lies before it is inflated.
  const whole = bytes + INFLATION_FACTOR * file.frameCount * frameBytesOf(file);
  return { bytes: Math.max(whole, inflationBytesOf(file.fileBytes, tasksBytes)) };
}

const LONGEST_HEADER_BYTES = 32 * MIB;
/** The values, and the objects around them. */
const HEADER_FACTOR = 3;

/** What reading the elements of a file takes, without its pixels. */
export function readMemoryOf(file: FrameShape): TaskMemory {
  const pixels = isUncompressed(file) ? Math.floor((frameBitsOf(file) * file.frameCount) / 8) : 0;
  const header = Math.min(Math.max(0, file.fileBytes - pixels), LONGEST_HEADER_BYTES);
  const inflated = isDeflated(file) ? inflationBytesOf(file.fileBytes) : 0;
  return { bytes: 4 * MIB + HEADER_FACTOR * header + inflated, isUpperBound: true };
}

/** The same for a file of which nothing but its length is known. */
export function readMemoryOfAny(fileBytes: number): TaskMemory {
  const header = Math.min(fileBytes, LONGEST_HEADER_BYTES);
  return { bytes: 4 * MIB + HEADER_FACTOR * header + inflationBytesOf(fileBytes), isUpperBound: true };
}

/** What it takes to inflate so much of a file, whatever it becomes, where tasks may use so much. */
export function inflationBytesOf(deflatedBytes: number, tasksBytes = Infinity): number {
  const most = Math.max(INFLATED_AT_ONCE, deflatedBytes * MOST_INFLATION);
  return INFLATION_FACTOR * Math.min(most, inflatedBytesIn(tasksBytes));
}

function isDeflated({ transferSyntaxUid }: FrameShape): boolean {
  return transferSyntaxUid === DeflatedExplicitVrLittleEndian;
}

function frameBitsOf({ rows, columns, samplesPerPixel, bitsAllocated }: FrameShape): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, bitsAllocated);
}
