import type { ErrorCode } from '../../src/shared/contract/errors.ts';
import type { SkipReason } from '../../src/shared/contract/files.ts';
import type { DataSetInput } from '../../src/server/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { explicit, join, part10 } from '../support/rawElements.ts';

/** A file that nobody means well with: what it is, how it is made, and what must be answered. */
export type HostileFile = {
  /** Also its file name, so that no two are the same. */
  readonly name: string;
  readonly write: () => Uint8Array;
  /** Why the scan leaves it out; or how its first frame is answered, where a code is the refusal. */
  readonly answer: { readonly skipped: SkipReason } | { readonly frame: FrameAnswer };
};

/** `in time`: it takes a good part of a second, and a machine that is busy enough may end the decode before. */
export type FrameAnswer = 'shown' | 'shown damaged' | 'shown in time' | ErrorCode;

export function shown(name: string, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { frame: 'shown' } };
}

/** Shown as far as it goes, and the answer says that something is missing. */
export function shownDamaged(name: string, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { frame: 'shown damaged' } };
}

export function shownInTime(name: string, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { frame: 'shown in time' } };
}

export function refused(name: string, code: ErrorCode, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { frame: code } };
}

export function skipped(name: string, reason: SkipReason, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { skipped: reason } };
}

/** A good image of three samples, but for what is different. */
export function image(different: DataSetInput = {}, transferSyntaxUid = '1.2.840.10008.1.2.1'): Uint8Array {
  return writeDicom(ctRow(different), { transferSyntaxUid });
}

/** The same with bytes of our own before its pixel data. */
export function imageAround(...elements: readonly Uint8Array[]): Uint8Array {
  return part10(join(IMAGE_HEADER(), ...elements, PIXELS()));
}

/** Explicit VR little endian, everything before the pixel data. */
export const IMAGE_HEADER = () => writeDicom(ctRow({ PixelData: undefined }), { meta: false });
export const PIXELS = () => explicit(0x7fe00010, 'OW', new Uint8Array(Int16Array.of(863, 1064, 1264).buffer));

/** An image of one encapsulated frame, or of as many as there are fragments. */
export function encapsulated(
  transferSyntaxUid: string,
  fragments: readonly Uint8Array[],
  different: DataSetInput = {},
): Uint8Array {
  const NumberOfFrames = String(fragments.length);
  return image({ NumberOfFrames, PixelData: { fragments }, ...different }, transferSyntaxUid);
}

export function words(...values: readonly number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}

export function longs(...values: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}
