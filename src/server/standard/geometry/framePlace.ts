import type { Attributes } from '../dicom/dataSet.ts';
import { findMacro, type FrameAttributes } from '../dicom/eachFrame.ts';
import * as Tag from '../dicom/tag.ts';

/**
 * The item that holds Image Position (Patient) of a frame. A position at the top level applies to the first frame only.
 */
export function findPositionItem(frame: FrameAttributes): Attributes | undefined {
  return findMacro(frame, Tag.PlanePositionSequence) ?? (frame.frame === 0 ? frame.dataSet : undefined);
}

/**
 * The item that holds Image Orientation (Patient) of a frame. An orientation at the top level applies to all frames.
 */
export function findOrientationItem(frame: FrameAttributes): Attributes {
  return findMacro(frame, Tag.PlaneOrientationSequence) ?? frame.dataSet;
}

/**
 * Image Position (Patient), or another position, as written. Reads one extra number, to detect lists that are too long.
 */
export function readPosition(item: Attributes | undefined, tag: number = Tag.ImagePositionPatient): readonly number[] {
  return item?.numbers(tag, 4) ?? [];
}

/** Image Orientation (Patient), or another orientation, as written. Reads one extra number, like `readPosition`. */
export function readOrientation(
  item: Attributes | undefined,
  tag: number = Tag.ImageOrientationPatient,
): readonly number[] {
  return item?.numbers(tag, 7) ?? [];
}

/** Undefined unless there are exactly `count` numbers and all are finite. */
export function checkNumbers(written: readonly number[], count: 3 | 6): readonly number[] | undefined {
  return written.length === count && written.every(Number.isFinite) ? written : undefined;
}

/** Whether a macro is in the frame's own functional groups rather than in the shared ones. */
export function hasOwn({ own }: FrameAttributes, macroSequence: number): boolean {
  return own?.items(macroSequence)[0] !== undefined;
}

/** Caches the result for the last item, because most frames share their items with the previous frame. */
export function rememberLast<Result>(
  read: (item: Attributes | undefined) => Result,
): (item: Attributes | undefined) => Result {
  let last: { readonly item: Attributes | undefined; readonly result: Result } | undefined;
  return (item) => {
    if (last === undefined || last.item !== item) last = { item, result: read(item) };
    return last.result;
  };
}
