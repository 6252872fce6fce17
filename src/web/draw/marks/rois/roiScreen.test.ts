import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Matrix, ViewState } from '../../../kit/state/viewState.ts';
import { imageToCanvas } from '../../../show/pictures/viewTransform.ts';
import type { Roi } from './roi.ts';
import { HANDLES } from './roiEditing.ts';
import { cursorOf, findHit, placeHandles, toScreenRect } from './roiScreen.ts';

const FOURFOLD: Matrix = [4, 0, 0, 4, 10, 20];
const ROI: Roi = { uid: '1', box: [10, 20, 30, 60], frames: [] };
const INNER: Roi = { uid: '2', box: [15, 25, 20, 30], frames: [] };

test('a box lies where the picture of its pixels lies', () => {
  expect(toScreenRect([10, 20, 30, 60], FOURFOLD)).toEqual({ x: 90, y: 60, width: 160, height: 80 });
  // A quarter turn: the first row is the right edge.
  expect(toScreenRect([0, 0, 1, 10], [0, 1, -1, 0, 100, 0])).toEqual({ x: 99, y: 0, width: 1, height: 10 });
});

describe('handles', () => {
  test('lie on the corners and in the middle of the edges', () => {
    expect(placeHandles(ROI.box, FOURFOLD).map(({ at }) => [at.x, at.y])).toEqual([
      [90, 60],
      [170, 60],
      [250, 60],
      [250, 100],
      [250, 140],
      [170, 140],
      [90, 140],
      [90, 100],
    ]);
  });

  test('of a box of a few screen pixels lie around it, apart from each other', () => {
    const places = placeHandles([0, 0, 1, 1], FOURFOLD);
    const middle = { x: 12, y: 22 };
    expect(places[0]?.at).toEqual({ x: middle.x - 14, y: middle.y - 14 });
    expect(places[3]?.at).toEqual({ x: middle.x + 14, y: middle.y });
  });

  test('can be had in every view, each one where its cursor says', () => {
    fc.assert(
      fc.property(anyView(), fc.constantFrom(...HANDLES), (view, wanted) => {
        const imageToScreen = imageToCanvas(
          view,
          { width: 200, height: 100, aspect: 1.5 },
          { width: 800, height: 600 },
        );
        const place = placeHandles(ROI.box, imageToScreen).find(({ handle }) => handle === wanted);
        const query = { rois: [ROI], selected: '1', imageToScreen, reach: 5 };
        expect(findHit(place?.at ?? { x: 0, y: 0 }, query)).toEqual({ part: 'handle', roi: ROI, handle: wanted });
        const rect = toScreenRect(ROI.box, imageToScreen);
        const isMiddleX = Math.abs((place?.at.x ?? 0) - rect.x - rect.width / 2) < 1e-6;
        const isMiddleY = Math.abs((place?.at.y ?? 0) - rect.y - rect.height / 2) < 1e-6;
        const cursor = cursorOf(wanted, imageToScreen);
        expect(cursor === 'ns-resize').toBe(isMiddleX);
        expect(cursor === 'ew-resize').toBe(isMiddleY);
      }),
    );
  });
});

describe('what is under the pointer', () => {
  const query = { rois: [ROI, INNER], imageToScreen: FOURFOLD, reach: 5, selected: undefined };

  test('is an edge within reach of it, on either side', () => {
    expect(findHit({ x: 94, y: 100 }, query)).toEqual({ part: 'edge', roi: ROI });
    expect(findHit({ x: 86, y: 100 }, query)).toEqual({ part: 'edge', roi: ROI });
    expect(findHit({ x: 84, y: 100 }, query)).toBeUndefined();
  });

  test('is the smallest of the ROIs around it', () => {
    // Pixel (27, 17) is in both.
    expect(findHit({ x: 120, y: 90 }, query)).toEqual({ part: 'inside', roi: INNER });
    expect(findHit({ x: 200, y: 100 }, query)).toEqual({ part: 'inside', roi: ROI });
  });

  test('is a handle only of the selected ROI', () => {
    expect(findHit({ x: 90, y: 60 }, query)?.part).toBe('edge');
    expect(findHit({ x: 90, y: 60 }, { ...query, selected: '1' })).toEqual({
      part: 'handle',
      roi: ROI,
      handle: { x: -1, y: -1 },
    });
  });
});

function anyView(): fc.Arbitrary<ViewState> {
  return fc.record({
    zoom: fc.oneof(fc.constant('fit' as const), fc.double({ min: 0.05, max: 32, noNaN: true })),
    center: fc.constant(undefined),
    quarterTurns: fc.constantFrom(0, 1, 2, 3),
    flipHorizontal: fc.boolean(),
    flipVertical: fc.boolean(),
  });
}
