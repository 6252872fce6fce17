import type { Attributes } from '../dicom/dataSet.ts';
import { findMacro, type FrameAttributes } from '../dicom/eachFrame.ts';
import * as Tag from '../dicom/tag.ts';

/** Where Image Position (Patient) of a frame is written. At the top level stands that of the first frame. */
export function findPositionItem(frame: FrameAttributes): Attributes | undefined {
  return findMacro(frame, Tag.PlanePositionSequence) ?? (frame.frame === 0 ? frame.dataSet : undefined);
}

/** Where Image Orientation (Patient) of a frame is written. One at the top level holds for all frames. */
export function findOrientationItem(frame: FrameAttributes): Attributes {
  return findMacro(frame, Tag.PlaneOrientationSequence) ?? frame.dataSet;
}

/** Image Position (Patient), or another position, as written. One number too many shows that it is not a position. */
export function readPosition(item: Attributes | undefined, tag: number = Tag.ImagePositionPatient): readonly number[] {
  return item?.numbers(tag, 4) ?? [];
}

/** Image Orientation (Patient), or another orientation, as written. */
export function readOrientation(
  item: Attributes | undefined,
  tag: number = Tag.ImageOrientationPatient,
): readonly number[] {
  return item?.numbers(tag, 7) ?? [];
}

/** Undefined unless there are exactly as many finite numbers as the attribute has. */
export function checkNumbers(written: readonly number[], count: 3 | 6): readonly number[] | undefined {
  return written.length === count && written.every(Number.isFinite) ? written : undefined;
}

/** Whether a macro is among the frame's own functional groups, and not among those that all frames share. */
export function hasOwn({ own }: FrameAttributes, macroSequence: number): boolean {
  return own?.items(macroSequence)[0] !== undefined;
}

/** Most frames share their items with the frame before: each is read once. */
export function rememberLast<Result>(
  read: (item: Attributes | undefined) => Result,
): (item: Attributes | undefined) => Result {
  let last: { readonly item: Attributes | undefined; readonly result: Result } | undefined;
  return (item) => {
    if (last === undefined || last.item !== item) last = { item, result: read(item) };
    return last.result;
  };
}
