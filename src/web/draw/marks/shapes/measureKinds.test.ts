import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lengthBetween } from '../../../../shared/pixelScale.ts';
import { applyMatrix, imageToCanvas, invertMatrix } from '../../../show/pictures/viewTransform.ts';
import type { ViewState } from '../../../kit/state/viewState.ts';

test('a length drawn on the screen is the same in every view of the image', () => {
  const image = { width: 300, height: 200, aspect: 1.7 };
  const canvas = { width: 900, height: 700 };
  const anyView: fc.Arbitrary<ViewState> = fc.record({
    zoom: fc.double({ min: 0.05, max: 20, noNaN: true }),
    center: fc.constant(undefined),
    quarterTurns: fc.constantFrom<ViewState['quarterTurns']>(0, 1, 2, 3),
    flipHorizontal: fc.boolean(),
    flipVertical: fc.boolean(),
  });
  const anyPoint = fc.record({
    x: fc.double({ min: 0, max: image.width, noNaN: true }),
    y: fc.double({ min: 0, max: image.height, noNaN: true }),
  });
  fc.assert(
    fc.property(anyView, anyPoint, anyPoint, (view, a, b) => {
      const toCanvas = imageToCanvas(view, image, canvas);
      const [drawnA, drawnB] = [a, b].map((point) => applyMatrix(invertMatrix(toCanvas), applyMatrix(toCanvas, point)));
      expect(lengthBetween(drawnA ?? a, drawnB ?? b, [0.85, 0.5])).toBeCloseTo(lengthBetween(a, b, [0.85, 0.5]), 6);
    }),
  );
});
