import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { createPage } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { toMark, toMeasurement } from '../sync/markForm.ts';
import { isInterpolated, type Measurement, NO_WORDS, volumeOfShape } from './measurement.ts';
import { extendTo, formOnFrame, withDrawnSlice } from './throughStack.ts';

const COUNT = 5;

/** Five files of one stack, 2 mm apart, with pixels of 1 by 1 mm; the last of the files is shown first. */
function createStackPage() {
  const page = createPage();
  const files = Array.from({ length: COUNT }, (_, index) =>
    createFileRecord(index, {
      modality: 'CT',
      pixel_spacing_mm: [1, 1],
      pixel_spacing_source: 'pixel_spacing',
      support_state: 'renderable',
      frame_count: 1,
    }),
  );
  const stack: ViewStack = {
    id: 'stack',
    kind: 'ordinary',
    frames: files.map((_, at) => ({
      fileIndex: COUNT - 1 - at,
      frame: 0,
      sopInstanceUid: '',
      positionMm: 10 + 2 * at,
    })),
    warnings: [],
    fileIndex: COUNT - 1,
    seriesUid: undefined,
    studyUid: undefined,
  };
  libraryOf(page).setState({ files, stackOfFile: new Map(files.map(({ index }) => [index, stack])) });
  return page;
}

const BOX: Measurement = {
  uid: '2.25.1',
  kind: 'box',
  fileIndex: 4,
  frame: 0,
  place: { type: 'frame' },
  points: [
    { x: 0, y: 0 },
    { x: 10, y: 10 },
  ],
  words: NO_WORDS,
  scale: undefined,
  values: undefined,
};
const WIDE = [
  { x: 0, y: 0 },
  { x: 20, y: 10 },
];

test('a shape that is extended is the same on every image up to there, and nowhere else', () => {
  const page = createStackPage();
  const extended = extendTo(page, BOX, { fileIndex: 1, frame: 0, cut: undefined })!;
  const forms = [4, 3, 2, 1, 0].map((fileIndex) =>
    formOnFrame(page, extended, { fileIndex, frame: 0, cut: undefined }),
  );

  expect(forms.map((form) => form?.points)).toEqual([BOX.points, BOX.points, BOX.points, BOX.points, undefined]);
  expect(forms.map((form) => form && isInterpolated(form))).toEqual([false, true, true, true, undefined]);
  // 100 mm² on four images, 2 mm each.
  expect(volumeOfShape(forms[0]!)).toBeCloseTo(0.8);
  // It is there already.
  expect(extendTo(page, extended, { fileIndex: 2, frame: 0, cut: undefined })).toBeUndefined();
});

test('between two drawn outlines the corners move in equal steps, and the volume is the sum of the areas', () => {
  const page = createStackPage();
  const extended = extendTo(page, BOX, { fileIndex: 0, frame: 0, cut: undefined })!;
  const last = formOnFrame(page, extended, { fileIndex: 0, frame: 0, cut: undefined })!;
  const changed = withDrawnSlice({ ...last, points: WIDE });

  const middle = formOnFrame(page, changed, { fileIndex: 2, frame: 0, cut: undefined })!;
  expect(middle.points).toEqual([
    { x: 0, y: 0 },
    { x: 15, y: 10 },
  ]);
  expect(isInterpolated(middle)).toBe(true);
  // 100, 125, 150, 175 and 200 mm², 2 mm each.
  expect(volumeOfShape(middle)).toBeCloseTo(1.5);
  expect(formOnFrame(page, changed, { fileIndex: 0, frame: 0, cut: undefined })?.points).toEqual(WIDE);
});

test('the server gets only what was drawn, and it comes back the same', () => {
  const page = createStackPage();
  const extended = extendTo(page, BOX, { fileIndex: 0, frame: 0, cut: undefined })!;
  const last = formOnFrame(page, extended, { fileIndex: 0, frame: 0, cut: undefined })!;
  const form = toMark(withDrawnSlice({ ...last, points: WIDE }));

  expect(form).toMatchObject({
    kind: 'box',
    place: { type: 'stack', from: { file_index: 4, frame_index: 0 }, to: { file_index: 0, frame_index: 0 } },
    points: [],
    slices: [
      {
        file_index: 0,
        frame_index: 0,
        points: [
          [0, 0],
          [20, 10],
        ],
      },
      {
        file_index: 4,
        frame_index: 0,
        points: [
          [0, 0],
          [10, 10],
        ],
      },
    ],
  });
  expect(toMark(toMeasurement('2.25.1', form)!)).toEqual(form);
});

test('lines and points do not go through a stack', () => {
  const page = createStackPage();
  expect(extendTo(page, { ...BOX, kind: 'length' }, { fileIndex: 0, frame: 0, cut: undefined })).toBeUndefined();
});
