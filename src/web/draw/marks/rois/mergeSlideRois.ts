import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import type { TileIndex } from '../../../kit/state/shownTiles.ts';
import { type Divergence, withoutEqual } from './mergeRois.ts';
import { parsePayload, type RoiMark, toPayload } from './roi.ts';
import { changeUnits, keyOfUnit, type LevelMarks, readUnits, type SlideUnit } from './slideBoxes.ts';

/**
 * Like `mergeRois`, for a file of a slide, whose ROIs are parts of boxes. It merges whole boxes, so that no box loses a
 * part which both sides have or gains a part of another box.
 */
export function mergeSlideRois(
  divergence: Divergence,
  { fileIndex, index }: { readonly fileIndex: number; readonly index: TileIndex },
): AnnotationPayload {
  const toLevel = (payload: AnnotationPayload): LevelMarks<RoiMark> => new Map([[fileIndex, parsePayload(payload)]]);
  const unitsOf = (level: LevelMarks<RoiMark>) => readUnits(level, index);
  const base = unitsOf(toLevel(divergence.base));
  const mine = unitsOf(toLevel(divergence.mine));
  const theirs = unitsOf(toLevel(divergence.theirs));
  let level = toLevel(divergence.theirs);
  for (const removed of without(base, mine)) {
    const before = unitsOf(level).find((unit) => keyOfUnit(unit) === keyOfUnit(removed));
    if (before !== undefined) level = changeUnits(level, { index, before, after: undefined });
  }
  for (const after of without(without(mine, base), without(theirs, base))) {
    level = changeUnits(level, { index, before: undefined, after });
  }
  return toPayload(level.get(fileIndex) ?? []);
}

function without(units: readonly SlideUnit[], others: readonly SlideUnit[]): readonly SlideUnit[] {
  return withoutEqual(units, others, keyOfUnit);
}
