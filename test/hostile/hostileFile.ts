import type { ErrorCode } from '../../src/shared/contract/errors.ts';
import type { SkipReason } from '../../src/shared/contract/files.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { explicit, join, part10 } from '../support/rawElements.ts';

/** A malicious file: its name, its content, and the answer that the server must give. */
export type HostileFile = {
  /** Also the file name, so it must be unique. */
  readonly name: string;
  readonly write: () => Uint8Array;
  /** Why the scan skips the file, or the answer for its first frame or layer; an error code is a refusal. */
  readonly answer:
    | { readonly skipped: SkipReason }
    | { readonly frame: FrameAnswer }
    | { readonly presentation: FrameAnswer; readonly applied: FrameAnswer }
    | LayerAnswer
    | DocumentAnswer;
};

/** `in time`: decoding takes a large part of a second, and may reach its time limit on a busy machine. */
export type FrameAnswer = 'shown' | 'shown damaged' | 'shown in time' | ErrorCode;

/** What `/layer/:layer` and `/layer/:layer/plane` answer about an object without pixels. */
export type LayerAnswer = { readonly layer: FrameAnswer; readonly plane: FrameAnswer };

/** What endpoints about a document answer, by their names; `document` is `/file/:index/document`. */
export type DocumentAnswer = { readonly document: FrameAnswer } & Readonly<Record<string, FrameAnswer>>;

/** An object without pixels that `/file/:index/presentation` describes, and the answer if it is applied to an image. */
export function presentation(name: string, write: () => Uint8Array, applied: FrameAnswer = 'shown'): HostileFile {
  return { name, write, answer: { presentation: 'shown', applied } };
}

export function layer(name: string, answer: LayerAnswer, write: () => Uint8Array): HostileFile {
  return { name, write, answer };
}

export function documented(name: string, answer: DocumentAnswer, write: () => Uint8Array): HostileFile {
  return { name, write, answer };
}

export function shown(name: string, write: () => Uint8Array): HostileFile {
  return { name, write, answer: { frame: 'shown' } };
}

/** Shown as far as it can be decoded; the answer says that something is missing. */
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

/** A good image of three samples, except for the given changes. */
export function image(different: DataSetInput = {}, transferSyntaxUid = '1.2.840.10008.1.2.1'): Uint8Array {
  return writeDicom(ctRow(different), { transferSyntaxUid });
}

/** The same image with the given bytes before its pixel data. */
export function imageAround(...elements: readonly Uint8Array[]): Uint8Array {
  return part10(join(IMAGE_HEADER(), ...elements, PIXELS()));
}

/** Everything before the pixel data, in explicit VR little endian. */
export const IMAGE_HEADER = () => writeDicom(ctRow({ PixelData: undefined }), { meta: false });
export const PIXELS = () => explicit(0x7fe00010, 'OW', new Uint8Array(Int16Array.of(863, 1064, 1264).buffer));

/** An encapsulated image with one frame per fragment. */
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
