import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { PlaneRun } from '../../../shared/contract/series.ts';
import { cellOf, cellsOf, openInCell, setLayout, setLink, updateCell } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { messagesOf } from '../../kit/state/messages.ts';
import { createPage, type Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { linkCells, linkScrolling } from './linkCells.ts';

const HEAD_FIRST = [1, 0, 0, 0, 1, 0];
const FEET_FIRST = [1, 0, 0, 0, -1, 0];
const SAGITTAL = [0, 1, 0, 0, 0, -1];

type Slices = {
  readonly space: string;
  readonly placesMm: readonly (number | undefined)[];
  readonly orientation?: number[];
};

/** A page with one stack in each cell; scrolling is linked. */
function openStacks(...stacks: readonly Slices[]): Page {
  const page = createPage();
  const files = stacks.map(({ space }, index) =>
    createFileRecord(index, {
      support_state: 'renderable',
      frame_of_reference_uid: space,
      series_number: String(index + 1),
    }),
  );
  const built = stacks.map(({ placesMm, orientation = HEAD_FIRST }, fileIndex): ViewStack => {
    const plane: PlaneRun = {
      first: 0,
      count: placesMm.length,
      space: 'patient',
      orientation,
      origins_mm: null,
      origin_step: null,
      pixel_spacing_mm: [1, 1],
      pixel_spacing_source: 'pixel_spacing',
    };
    const frames = placesMm.map((positionMm, frame) => ({ fileIndex, frame, sopInstanceUid: '', positionMm, plane }));
    return {
      id: `stack ${fileIndex}`,
      kind: 'ordinary',
      frames,
      planes: [plane],
      warnings: [],
      fileIndex,
      seriesUid: `1.${fileIndex}`,
      studyUid: '1',
    };
  });
  libraryOf(page).setState({ files, stacks: new Map(built.map((stack) => [stack.id, stack])) });
  setLayout(page, { rows: 1, columns: 2 });
  for (const [cell, stack] of built.entries()) openInCell(page, cell, stack.id);
  linkCells(page);
  return page;
}

function everyMm(count: number, stepMm: number, startMm = 0): number[] {
  return Array.from({ length: count }, (_, i) => startMm + i * stepMm);
}

function scroll(page: Page, cell: number, position: number): number {
  cellsOf(page).setState({ activeCell: cell });
  updateCell(page, cell, { position });
  return cellOf(page, 1 - cell).position;
}

test('parallel images of one frame of reference go to the same place', () => {
  const page = openStacks(
    { space: 'a', placesMm: everyMm(20, 2) },
    { space: 'a', placesMm: everyMm(8, -5), orientation: FEET_FIRST },
  );
  setLink(page, 'scroll', true);
  expect(scroll(page, 0, 10)).toBe(4);
});

test('images of another frame of reference follow by millimetres from where they were linked', () => {
  const page = openStacks({ space: 'a', placesMm: everyMm(100, 2) }, { space: 'b', placesMm: everyMm(40, 5, 700) });
  updateCell(page, 0, { position: 20 });
  updateCell(page, 1, { position: 6 });
  setLink(page, 'scroll', true);
  // 2 mm are less than half of the step of the other, 4 mm are more, and 40 mm are eight steps.
  expect(scroll(page, 0, 21)).toBe(6);
  expect(scroll(page, 0, 22)).toBe(7);
  expect(scroll(page, 0, 40)).toBe(14);
  // One image after the other leads to the same as all at once, also back and from the other cell.
  for (let position = 39; position >= 20; position -= 1) scroll(page, 0, position);
  expect(cellOf(page, 1).position).toBe(6);
  expect(scroll(page, 1, 10)).toBe(30);
  expect(scroll(page, 0, 20)).toBe(6);
});

test('images that are counted from the other end follow the other way', () => {
  const page = openStacks(
    { space: 'a', placesMm: everyMm(50, 3) },
    { space: 'b', placesMm: everyMm(50, 3), orientation: FEET_FIRST },
  );
  updateCell(page, 1, { position: 30 });
  setLink(page, 'scroll', true);
  expect(scroll(page, 0, 10)).toBe(20);
});

test('beyond the last image the others wait, and follow again from the same distance', () => {
  const page = openStacks({ space: 'a', placesMm: everyMm(100, 1) }, { space: 'b', placesMm: everyMm(10, 1) });
  setLink(page, 'scroll', true);
  expect(scroll(page, 0, 50)).toBe(9);
  expect(scroll(page, 0, 60)).toBe(9);
  expect(scroll(page, 0, 5)).toBe(5);
});

test('what lies across in one space does not follow; in another space it follows by images, as what has no place', () => {
  const across = openStacks(
    { space: 'a', placesMm: everyMm(20, 2) },
    { space: 'a', placesMm: everyMm(20, 2), orientation: SAGITTAL },
  );
  setLink(across, 'scroll', true);
  expect(scroll(across, 0, 10)).toBe(0);
  // Of another patient, say.
  const elsewhere = openStacks(
    { space: 'a', placesMm: everyMm(20, 2) },
    { space: 'b', placesMm: everyMm(20, 3), orientation: SAGITTAL },
  );
  setLink(elsewhere, 'scroll', true);
  expect(scroll(elsewhere, 0, 10)).toBe(10);
  const page = openStacks(
    { space: '', placesMm: everyMm(20, 2) },
    { space: '', placesMm: Array.from({ length: 20 }, () => undefined) },
  );
  setLink(page, 'scroll', true);
  expect(scroll(page, 0, 10)).toBe(10);
});

test('linking takes parallel images of one frame of reference to the place of the active ones at once', () => {
  const page = openStacks({ space: 'a', placesMm: everyMm(20, 2) }, { space: 'a', placesMm: everyMm(8, 5) });
  updateCell(page, 0, { position: 10 });
  linkScrolling(page);
  expect(cellOf(page, 1).position).toBe(4);
  expect(messagesOf(page).getState().message).toBeUndefined();

  const other = openStacks({ space: 'a', placesMm: everyMm(20, 2) }, { space: 'b', placesMm: everyMm(8, 5) });
  updateCell(other, 0, { position: 10 });
  linkScrolling(other);
  expect(cellOf(other, 1).position).toBe(0);
});

test('linking says which series does not follow because it lies across', () => {
  const page = openStacks(
    { space: 'a', placesMm: everyMm(20, 2) },
    { space: 'a', placesMm: everyMm(20, 2), orientation: SAGITTAL },
  );
  linkScrolling(page);
  expect(messagesOf(page).getState().message?.text).toBe('Series 2 lies across the active one, so it does not follow');
});
