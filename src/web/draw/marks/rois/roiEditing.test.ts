import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkAnnotation } from '../../../../shared/annotations.ts';
import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Point, Size, ViewedImage, ViewState } from '../../../kit/state/viewState.ts';
import { applyMatrix, imageToCanvas, invertMatrix } from '../../../show/pictures/viewTransform.ts';
import { areaOf, containsPoint, drawBox, HANDLES, moveBox, resizeBox, setEdge } from './roiEditing.ts';

const IMAGE: Size = { width: 200, height: 100 };

describe('drawing', () => {
  test('ends at the pixel edges nearest to the two points', () => {
    expect(drawBox({ x: 100.2, y: 50.3 }, { x: 110.4, y: 54.8 }, IMAGE)).toEqual([50, 100, 55, 110]);
  });

  test('gives the same box from whichever corner it begins', () => {
    const [a, b] = [
      { x: 3.4, y: 8.6 },
      { x: 20.9, y: 12.2 },
    ];
    const expected = [9, 3, 12, 21];
    expect(drawBox(a, b, IMAGE)).toEqual(expected);
    expect(drawBox(b, a, IMAGE)).toEqual(expected);
    expect(drawBox({ x: a.x, y: b.y }, { x: b.x, y: a.y }, IMAGE)).toEqual(expected);
  });

  test('inside one pixel marks that pixel', () => {
    expect(drawBox({ x: 7.6, y: 3.1 }, { x: 7.9, y: 3.2 }, IMAGE)).toEqual([3, 7, 4, 8]);
  });

  test('beyond the image ends at its edge', () => {
    expect(drawBox({ x: 190, y: -30 }, { x: 999, y: 20 }, IMAGE)).toEqual([0, 190, 20, 200]);
    expect(drawBox({ x: 300, y: 150 }, { x: 310, y: 170 }, IMAGE)).toEqual([99, 199, 100, 200]);
  });
});

test('moving keeps the size and stops at the edge of the image', () => {
  expect(moveBox([10, 20, 30, 60], { x: 2.4, y: -1.6 }, IMAGE)).toEqual([8, 22, 28, 62]);
  expect(moveBox([10, 20, 30, 60], { x: 500, y: -500 }, IMAGE)).toEqual([0, 160, 20, 200]);
});

describe('resizing', () => {
  test('moves the edges of the handle and no other', () => {
    expect(resizeBox([10, 20, 30, 60], { x: 1, y: 0 }, { x: 5.2, y: 99 }, IMAGE)).toEqual([10, 20, 30, 65]);
    expect(resizeBox([10, 20, 30, 60], { x: -1, y: -1 }, { x: -3, y: 4 }, IMAGE)).toEqual([14, 17, 30, 60]);
  });

  test('goes on at the other side when a handle passes the opposite edge', () => {
    expect(resizeBox([10, 20, 30, 60], { x: 1, y: 0 }, { x: -45, y: 0 }, IMAGE)).toEqual([10, 15, 30, 20]);
  });

  test('leaves one pixel when a handle comes to lie on the opposite edge', () => {
    expect(resizeBox([10, 20, 30, 60], { x: 1, y: 0 }, { x: -40, y: 0 }, IMAGE)).toEqual([10, 20, 30, 21]);
    expect(resizeBox([10, 20, 30, 60], { x: 0, y: -1 }, { x: 0, y: 20 }, IMAGE)).toEqual([29, 20, 30, 60]);
  });
});

test('a typed edge is rounded and stops at the opposite edge and at the image', () => {
  expect(setEdge([10, 20, 30, 60], 0, 12.4, IMAGE)).toEqual([12, 20, 30, 60]);
  expect(setEdge([10, 20, 30, 60], 0, 35, IMAGE)).toEqual([29, 20, 30, 60]);
  expect(setEdge([10, 20, 30, 60], 3, 999, IMAGE)).toEqual([10, 20, 30, 200]);
  expect(setEdge([10, 20, 30, 60], 3, 3, IMAGE)).toEqual([10, 20, 30, 21]);
});

describe('for any drag', () => {
  test('every box keeps the rules that the server checks', () => {
    fc.assert(
      fc.property(anyImage(), anyPoint(), anyPoint(), fc.constantFrom(...HANDLES), (image, from, to, handle) => {
        const drawn = drawBox(from, to, image);
        const typed = ([0, 1, 2, 3] as const).map((edge) => setEdge(drawn, edge, to.x, image));
        const boxes = [drawn, moveBox(drawn, to, image), resizeBox(drawn, handle, to, image), ...typed];
        const payload = { num_roi: boxes.length, roi_coords: boxes, roi_frames: [] };
        const bounds = { rows: image.height, columns: image.width, frameCount: 1 };
        expect(checkAnnotation(payload, bounds)).toEqual({ ok: true, payload });
      }),
    );
  });

  test('moving changes no size, and back by the same way leads to where it was', () => {
    fc.assert(
      fc.property(anyImageWithBox(), anyPoint(), ({ image, box }, by) => {
        const moved = moveBox(box, by, image);
        expect(areaOf(moved)).toBe(areaOf(box));
        expect([moved[2] - moved[0], moved[3] - moved[1]]).toEqual([box[2] - box[0], box[3] - box[1]]);
        expect(moveBox(moved, { x: box[1] - moved[1], y: box[0] - moved[0] }, image)).toEqual(box);
      }),
    );
  });

  test('a handle moved and moved back leaves the box as it was', () => {
    fc.assert(
      fc.property(anyImageWithBox(), fc.constantFrom(...HANDLES), anyPoint(), ({ image, box }, handle, by) => {
        const resized = resizeBox(box, handle, by, image);
        // A handle that passed the opposite edge is on the other side now.
        fc.pre(resized[handle.y > 0 ? 0 : 2] === box[handle.y > 0 ? 0 : 2]);
        fc.pre(resized[handle.x > 0 ? 1 : 3] === box[handle.x > 0 ? 1 : 3]);
        const back = {
          x: handle.x === 0 ? 0 : box[handle.x > 0 ? 3 : 1] - resized[handle.x > 0 ? 3 : 1],
          y: handle.y === 0 ? 0 : box[handle.y > 0 ? 2 : 0] - resized[handle.y > 0 ? 2 : 0],
        };
        expect(resizeBox(resized, handle, back, image)).toEqual(box);
      }),
    );
  });
});

test('a box drawn over pixels on the screen is those pixels, in every view', () => {
  fc.assert(
    fc.property(anyView(), anyImageWithBox(), anyAspect(), (view, { image, box }, aspect) => {
      const viewed: ViewedImage = { ...image, aspect };
      const toScreen = imageToCanvas(view, viewed, { width: 800, height: 600 });
      const toImage = invertMatrix(toScreen);
      const [ymin, xmin, ymax, xmax] = box;
      // The pointer hits each corner within a third of a pixel.
      const press = applyMatrix(toImage, applyMatrix(toScreen, { x: xmin + 0.3, y: ymin - 0.3 }));
      const release = applyMatrix(toImage, applyMatrix(toScreen, { x: xmax - 0.3, y: ymax + 0.3 }));
      expect(drawBox(press, release, image)).toEqual(box);
    }),
  );
});

test('a pixel is inside a box exactly when its indices are', () => {
  expect(containsPoint([2, 3, 4, 5], { x: 3, y: 2 })).toBe(true);
  expect(containsPoint([2, 3, 4, 5], { x: 4.9, y: 3.9 })).toBe(true);
  expect(containsPoint([2, 3, 4, 5], { x: 5, y: 3 })).toBe(false);
});

function anyImage(): fc.Arbitrary<Size> {
  return fc.record({ width: fc.integer({ min: 1, max: 3000 }), height: fc.integer({ min: 1, max: 3000 }) });
}

function anyPoint(): fc.Arbitrary<Point> {
  const coordinate = fc.double({ min: -4000, max: 4000, noNaN: true });
  return fc.record({ x: coordinate, y: coordinate });
}

/**
 * Boxes at least two pixels wide and high: an error of a third of a pixel at both ends of one pixel leaves too little
 * to round.
 */
function anyImageWithBox(): fc.Arbitrary<{ image: Size; box: RoiBox }> {
  return fc
    .record({ width: fc.integer({ min: 2, max: 3000 }), height: fc.integer({ min: 2, max: 3000 }) })
    .chain((image) =>
      fc.record({ rows: anySpan(image.height), columns: anySpan(image.width) }).map(({ rows, columns }) => ({
        image,
        box: [rows[0], columns[0], rows[1], columns[1]] satisfies RoiBox,
      })),
    );
}

function anySpan(size: number): fc.Arbitrary<[number, number]> {
  return fc
    .integer({ min: 0, max: size - 2 })
    .chain((low) => fc.tuple(fc.constant(low), fc.integer({ min: low + 2, max: size })));
}

function anyAspect(): fc.Arbitrary<number> {
  return fc.oneof(fc.constant(1), fc.double({ min: 0.2, max: 5, noNaN: true }));
}

function anyView(): fc.Arbitrary<ViewState> {
  return fc.record({
    zoom: fc.oneof(fc.constant('fit' as const), fc.double({ min: 0.05, max: 32, noNaN: true })),
    center: fc.option(anyPoint(), { nil: undefined }),
    quarterTurns: fc.constantFrom(0, 1, 2, 3),
    flipHorizontal: fc.boolean(),
    flipVertical: fc.boolean(),
  });
}
