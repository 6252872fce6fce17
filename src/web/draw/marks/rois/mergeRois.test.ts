import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_ROIS } from '../../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import { mergeRois } from './mergeRois.ts';
import { parsePayload, type RoiMark, toPayload } from './roi.ts';

const [A, B, C, D] = [0, 1, 2, 3].map((x) => ({ box: [0, x, 1, x + 1], frames: [] }) satisfies RoiMark);

test('additions and removals of both users are applied', () => {
  const merged = mergeRois({ base: listOf(A, B), mine: listOf(B, C), theirs: listOf(A, D) });

  // I removed A and added C; they removed B and added D.
  expect(merged).toEqual(listOf(D, C));
});

test('a ROI that both changed is there twice', () => {
  expect(mergeRois({ base: listOf(A), mine: listOf(B), theirs: listOf(C) })).toEqual(listOf(C, B));
});

test('a ROI that both added is there once', () => {
  expect(mergeRois({ base: NO_ROIS, mine: listOf(A, B), theirs: listOf(B) })).toEqual(listOf(B, A));
});

test('the same box on other frames is another ROI', () => {
  const onSecond = { box: A!.box, frames: [1] } satisfies RoiMark;
  expect(mergeRois({ base: listOf(A), mine: listOf(onSecond), theirs: listOf(A) })).toEqual(listOf(onSecond));
});

test('where only one side changed, that side is the result', () => {
  fc.assert(
    fc.property(anyList(), anyList(), (base, changed) => {
      expect(sorted(mergeRois({ base, mine: changed, theirs: base }))).toEqual(sorted(changed));
      expect(mergeRois({ base, mine: base, theirs: changed })).toEqual(changed);
      expect(mergeRois({ base, mine: changed, theirs: changed })).toEqual(changed);
    }),
  );
});

test('no ROI that one side drew is lost, unless the other removed it', () => {
  fc.assert(
    fc.property(anyList(), anyList(), anyList(), (base, mine, theirs) => {
      const isIn = (list: AnnotationPayload, key: string) => keys(list).includes(key);
      const isRemoved = (key: string) => isIn(base, key) && !(isIn(mine, key) && isIn(theirs, key));
      const kept = [...keys(mine), ...keys(theirs)].filter((key) => !isRemoved(key));
      expect(keys(mergeRois({ base, mine, theirs }))).toEqual(expect.arrayContaining(kept));
    }),
  );
});

function listOf(...marks: readonly (RoiMark | undefined)[]): AnnotationPayload {
  return toPayload(marks.filter((mark) => mark !== undefined));
}

function keys(payload: AnnotationPayload): string[] {
  return parsePayload(payload).map(({ box, frames }) => JSON.stringify([box, frames]));
}

function sorted(payload: AnnotationPayload): string[] {
  return keys(payload).toSorted();
}

/** Few distinct values, so that the lists have many ROIs in common. No list contains the same ROI twice. */
function anyList(): fc.Arbitrary<AnnotationPayload> {
  const mark = fc.record({ x: fc.integer({ min: 0, max: 4 }), frames: fc.constantFrom([], [0], [0, 2]) });
  return fc
    .uniqueArray(mark, { selector: ({ x, frames }) => JSON.stringify([x, frames]), maxLength: 6 })
    .map((marks) => toPayload(marks.map(({ x, frames }) => ({ box: [0, x, 1, x + 1], frames }))));
}
