import {
  type CostFactors,
  frameBytesOf,
  INFLATION_FACTOR,
  inflationBytesOf,
  isDeflated,
  isUncompressed,
  objectBytesOf,
} from '../../standard/dicom/readCost.ts';
import { MIB } from '../../machine/system/mib.ts';
import { native } from './codecs/native.ts';
import { findCodec } from './codecs/registry.ts';
import type { DecodeCost } from './frameTasks.ts';

/** What decoding one frame takes, of the task memory `tasksBytes`. */
export function decodeCostOf(file: CostFactors, tasksBytes: number): DecodeCost {
  return { timeoutMs: decodeTimeoutMs(file), bytes: decodeBytesOf(file, tasksBytes) };
}

/** What decoding frames one after the other takes, one of each file. */
export function decodeCostOfAll(files: readonly CostFactors[], tasksBytes: number): DecodeCost {
  const costs = files.map((file) => decodeCostOf(file, tasksBytes));
  return {
    timeoutMs: costs.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0),
    bytes: Math.max(...costs.map(({ bytes }) => bytes)),
  };
}

const LONGEST_MS = 30_000;

/** 5 s plus 1 s for every 16 megapixels, at most LONGEST_MS. */
export function decodeTimeoutMs({ rows, columns }: CostFactors): number {
  return Math.min(LONGEST_MS, 5_000 + ((rows * columns) / 16e6) * 1_000);
}

/** The share of the task memory `tasksBytes` that decoding one frame takes. */
export function decodeBytesOf(file: CostFactors, tasksBytes: number): number {
  const { rows, columns, samplesPerPixel, bitsAllocated } = file;
  const decoded = estimateDecodeBytes({
    encodedBytes: Math.ceil(file.fileBytes / Math.max(1, file.frameCount)),
    samples: rows * columns * Math.max(1, samplesPerPixel),
    bytesPerSample: Math.max(1, Math.ceil(bitsAllocated / 8)),
    transferSyntaxUid: file.transferSyntaxUid,
  });
  const bytes = decoded + (isUncompressed(file) ? objectBytesOf(file) : 0);
  if (!isDeflated(file)) return bytes;
  // Everything before a frame must be inflated to read it.
  const whole = bytes + INFLATION_FACTOR * file.frameCount * frameBytesOf(file);
  return Math.max(whole, inflationBytesOf(file.fileBytes, tasksBytes));
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
