import { ViewerError } from '../../../shared/contract/errors.ts';
import type { SampleArray } from '../../../shared/sampleArray.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import { readFrame } from '../pixels/readFrame.ts';
import type { CopiedFrame, CopyFrameInput } from './copyTasks.ts';

/** Decodes a frame, with its redactions filled, for a file without compression. Implements `copyFrameTask`. */
export async function copyFrame(
  images: ImageFiles,
  { source, frame, littleEndian }: CopyFrameInput,
  { transfer }: Pick<TaskContext, 'transfer'>,
): Promise<CopiedFrame> {
  const decoded = await readFrame(images, { file: source, frame });
  const { samples, samplesPerPixel, bitsAllocated, photometricInterpretation, damage } = decoded;
  if (damage !== undefined) throw new ViewerError('pixel_decode_failed', `frame ${frame} is damaged`);
  const bytes = bitsAllocated === 1 ? packBits(samples) : bytesOf(samples, littleEndian);
  return {
    bytes: transfer(bytes),
    frameBytes: bytes.length,
    samplesPerPixel,
    bitsAllocated,
    photometricInterpretation,
  };
}

/** The first pixel is the lowest bit. PS3.5 8.1.1. */
function packBits(samples: SampleArray): Uint8Array<ArrayBuffer> {
  if (samples.length % 8 !== 0) {
    throw new ViewerError('pixel_decode_failed', 'its frames of one bit do not end with a byte');
  }
  const bytes = new Uint8Array(samples.length / 8);
  for (let at = 0; at < samples.length; at += 1) if (Number(samples[at]) !== 0) bytes[at >> 3]! |= 1 << (at & 7);
  return bytes;
}

/** Typed arrays are in the byte order of the processor, which is little-endian wherever Node runs. */
function bytesOf(samples: SampleArray, littleEndian: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.byteLength);
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  if (littleEndian || samples.BYTES_PER_ELEMENT === 1) return bytes;
  const buffer = Buffer.from(bytes.buffer);
  if (samples.BYTES_PER_ELEMENT === 2) buffer.swap16();
  else if (samples.BYTES_PER_ELEMENT === 4) buffer.swap32();
  else buffer.swap64();
  return bytes;
}
