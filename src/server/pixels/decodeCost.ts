import { type DecodeSize, estimateDecodeBytes } from './admission.ts';

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

/** 5 s, and 1 s more for every 16 megapixels. */
export function decodeTimeoutMs({ rows, columns }: FrameShape): number {
  return Math.min(LONGEST_MS, 5_000 + ((rows * columns) / 16e6) * 1_000);
}

/** Bytes of one decoded frame. */
export function frameBytesOf({ rows, columns, samplesPerPixel, bitsAllocated }: FrameShape): number {
  return rows * columns * Math.max(1, samplesPerPixel) * Math.max(1, Math.ceil(bitsAllocated / 8));
}

/** Implicit and explicit VR: the samples lie in the file as they are. */
export function isUncompressed({ transferSyntaxUid }: FrameShape): boolean {
  return /^1\.2\.840\.10008\.1\.2(\.1|\.2)?$/.test(transferSyntaxUid);
}

export function decodeBytesOf(file: FrameShape): number {
  const { rows, columns, samplesPerPixel, bitsAllocated } = file;
  return estimateDecodeBytes({
    encodedBytes: Math.ceil(file.fileBytes / Math.max(1, file.frameCount)),
    samples: rows * columns * Math.max(1, samplesPerPixel),
    bytesPerSample: Math.max(1, Math.ceil(bitsAllocated / 8)),
    method: methodOf(file.transferSyntaxUid),
  });
}

function methodOf(transferSyntaxUid: string): DecodeSize['method'] {
  const number = /^1\.2\.840\.10008\.1\.2\.4\.(\d+)$/.exec(transferSyntaxUid)?.[1];
  if (number === undefined) return 'native';
  // JPEG 2000, JPEG XL and high-throughput JPEG 2000.
  return /^(9\d|11\d|20\d)$/.test(number) ? 'jpeg2000' : 'jpeg';
}
