import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rotateBy, type ViewedImage, type ViewState, WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import { applyMatrix, imageToCanvas, invertMatrix, panBy, zoomBy } from './viewTransform.ts';

const IMAGE: ViewedImage = { width: 200, height: 100, aspect: 1 };
const CANVAS = { width: 800, height: 600 };

function project(view: Partial<ViewState>, x: number, y: number, image: ViewedImage = IMAGE) {
  const point = applyMatrix(imageToCanvas({ ...WHOLE_IMAGE, ...view }, image, CANVAS), { x, y });
  return [Math.round(point.x * 1e6) / 1e6 + 0, Math.round(point.y * 1e6) / 1e6 + 0];
}

describe('a fitted image', () => {
  test('touches the canvas at its longer side and is centred in the other', () => {
    // 800 / 200 = 4 screen pixels per column; 100 rows of 4 leave (600 - 400) / 2 = 100 above and below.
    expect(project({}, 0, 0)).toEqual([0, 100]);
    expect(project({}, 200, 100)).toEqual([800, 500]);
  });

  test('is as high as its pixels are', () => {
    // Rows three times as high: 300 units, 600 / 300 = 2 per column, so 400 wide and 200 free at each side.
    const tall = { ...IMAGE, aspect: 3 };
    expect(project({}, 0, 0, tall)).toEqual([200, 0]);
    expect(project({}, 200, 100, tall)).toEqual([600, 600]);
  });

  test('fits its height into the width when it lies on its side', () => {
    // Turned: 100 across, 200 down; 600 / 200 = 3. Its top left corner is now at the top right.
    expect(project({ quarterTurns: 1 }, 0, 0)).toEqual([550, 0]);
    expect(project({ quarterTurns: 1 }, 200, 100)).toEqual([250, 600]);
  });
});

describe('turning and mirroring', () => {
  test.each([
    ['nothing', {}, [400, 300], [401, 300]],
    ['a quarter turn', { quarterTurns: 1 }, [400, 300], [400, 301]],
    ['half a turn', { quarterTurns: 2 }, [400, 300], [399, 300]],
    ['three quarters', { quarterTurns: 3 }, [400, 300], [400, 299]],
    ['left to right', { flipHorizontal: true }, [400, 300], [399, 300]],
    ['top to bottom', { flipVertical: true }, [400, 300], [401, 300]],
    ['a quarter turn, then left to right', { quarterTurns: 1, flipHorizontal: true }, [400, 300], [400, 301]],
    ['a quarter turn, then top to bottom', { quarterTurns: 1, flipVertical: true }, [400, 300], [400, 299]],
  ] as const)('%s: the middle stays, the column to its right goes where it should', (_, view, middle, right) => {
    expect(project({ zoom: 1, ...view }, 100, 50)).toEqual(middle);
    expect(project({ zoom: 1, ...view }, 101, 50)).toEqual(right);
  });

  test('rotating turns what is on screen clockwise, mirrored or not', () => {
    fc.assert(
      fc.property(anyView(), (view) => {
        const [a, b] = imageToCanvas({ ...view, zoom: 1 }, IMAGE, CANVAS);
        const [turnedA, turnedB] = imageToCanvas({ ...rotateBy(view, 1), zoom: 1 }, IMAGE, CANVAS);
        // Clockwise on a screen whose y points down: (x, y) becomes (-y, x).
        expect([turnedA, turnedB]).toEqual([-b + 0, a + 0].map((n) => expect.closeTo(n, 9)));
      }),
    );
  });
});

describe('for any view', () => {
  test('the inverse leads back', () => {
    fc.assert(
      fc.property(anyView(), anyImage(), anyPoint(), (view, image, point) => {
        const matrix = imageToCanvas(view, image, CANVAS);
        const back = applyMatrix(invertMatrix(matrix), applyMatrix(matrix, point));
        expect(back.x).toBeCloseTo(point.x, 6);
        expect(back.y).toBeCloseTo(point.y, 6);
      }),
    );
  });

  test('panning moves every point by the distance dragged', () => {
    fc.assert(
      fc.property(anyView(), anyImage(), anyPoint(), anyPoint(), (view, image, point, by) => {
        const before = applyMatrix(imageToCanvas(view, image, CANVAS), point);
        const after = applyMatrix(imageToCanvas(panBy(view, image, CANVAS, by), image, CANVAS), point);
        expect(after.x - before.x).toBeCloseTo(by.x, 5);
        expect(after.y - before.y).toBeCloseTo(by.y, 5);
      }),
    );
  });

  test('zooming keeps the point under the pointer where it is', () => {
    fc.assert(
      fc.property(
        anyView(),
        anyImage(),
        anyPoint(),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (view, image, anchor, factor) => {
          const fixed = applyMatrix(invertMatrix(imageToCanvas(view, image, CANVAS)), anchor);
          const after = applyMatrix(imageToCanvas(zoomBy(view, image, CANVAS, factor, anchor), image, CANVAS), fixed);
          expect(after.x).toBeCloseTo(anchor.x, 4);
          expect(after.y).toBeCloseTo(anchor.y, 4);
        },
      ),
    );
  });
});

function anyView(): fc.Arbitrary<ViewState> {
  return fc.record({
    zoom: fc.oneof(fc.constant('fit' as const), fc.double({ min: 0.1, max: 20, noNaN: true })),
    center: fc.option(anyPoint(), { nil: undefined }),
    quarterTurns: fc.constantFrom(0, 1, 2, 3),
    flipHorizontal: fc.boolean(),
    flipVertical: fc.boolean(),
  });
}

function anyImage(): fc.Arbitrary<ViewedImage> {
  return fc.record({
    width: fc.integer({ min: 1, max: 5000 }),
    height: fc.integer({ min: 1, max: 5000 }),
    aspect: fc.double({ min: 0.2, max: 5, noNaN: true }),
  });
}

function anyPoint() {
  return fc.record({
    x: fc.double({ min: -500, max: 500, noNaN: true }),
    y: fc.double({ min: -500, max: 500, noNaN: true }),
  });
}
