import { describe, expect, test } from 'vitest';
import type { WireStateArea } from '../../../shared/contract/presentation.ts';
import { applyMatrix, imageToCanvas } from '../../show/pictures/viewTransform.ts';
import { viewOfState } from './stateView.ts';

const AREA: WireStateArea = {
  applies_to: null,
  mode: 'scale_to_fit',
  corners: [4.5, 2.5, 24.5, 12.5],
  spacing_mm: null,
  pixel_aspect_ratio: null,
  magnification: null,
};
const IMAGE = { width: 60, height: 40, aspect: 1 };
const CANVAS = { width: 200, height: 200, pixelRatio: 1 };

/** Where the corners of the area are on the canvas: upper left, upper right, lower right, lower left as stored. */
function place(rotation: 0 | 90 | 180 | 270, isFlipped: boolean, area = AREA): number[][] {
  const view = viewOfState({ area, rotation, isFlipped }, IMAGE, CANVAS);
  const matrix = imageToCanvas(view, IMAGE, CANVAS);
  // In pictures, the first pixel begins at 0 and not at -0.5.
  const [left = 0, top = 0, right = 0, bottom = 0] = area.corners.map((corner) => corner + 0.5);
  const corners = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ] as const;
  return corners.map(([x, y]) => {
    const at = applyMatrix(matrix, { x, y });
    return [Math.round(at.x * 100) / 100, Math.round(at.y * 100) / 100];
  });
}

describe('an area of 20 by 10 pixels on 200 by 200', () => {
  // Ten times as large, in the middle. A turn clockwise moves the upper left corner to the upper right; then the flip
  // exchanges left and right.
  const [L, R, T, B] = [0, 200, 50, 150];
  const [l, r, t, b] = [50, 150, 0, 200];
  test.each([
    [0, false, [L, T], [R, T], [R, B], [L, B]],
    [90, false, [r, t], [r, b], [l, b], [l, t]],
    [180, false, [R, B], [L, B], [L, T], [R, T]],
    [270, false, [l, b], [l, t], [r, t], [r, b]],
    [0, true, [R, T], [L, T], [L, B], [R, B]],
    [90, true, [l, t], [l, b], [r, b], [r, t]],
    [180, true, [L, B], [R, B], [R, T], [L, T]],
    [270, true, [r, b], [r, t], [l, t], [l, b]],
  ] as const)('turned by %i, flipped: %s', (rotation, isFlipped, ...corners) => {
    expect(place(rotation, isFlipped)).toEqual(corners);
  });
});

test('the whole image is fitted, so that it stays so in a cell of another size', () => {
  const area = { ...AREA, corners: [-0.5, -0.5, 59.5, 39.5] };
  const view = viewOfState({ area, rotation: 0, isFlipped: false }, IMAGE, CANVAS);
  expect(view).toMatchObject({ zoom: 'fit', center: undefined });
  expect(viewOfState({ area: undefined, rotation: 180, isFlipped: true }, IMAGE, CANVAS)).toMatchObject({
    zoom: 'fit',
    quarterTurns: 2,
    flipHorizontal: true,
  });
});

test('an area that reaches beyond the image is in the middle too', () => {
  // From -10.5 to 9.5: the middle is the corner of the first pixel.
  const area = { ...AREA, corners: [-10.5, -5.5, 9.5, 4.5] };
  expect(viewOfState({ area, rotation: 0, isFlipped: false }, IMAGE, CANVAS)).toMatchObject({
    zoom: 10,
    center: { x: 0, y: 0 },
  });
});

test('pixels that are twice as high as wide make an area as high as wide', () => {
  const view = viewOfState({ area: AREA, rotation: 0, isFlipped: false }, { ...IMAGE, aspect: 2 }, CANVAS);
  expect(view.zoom).toBe(10);
});

test('MAGNIFY is pixels of the screen for each pixel of the image', () => {
  const area = { ...AREA, mode: 'magnify' as const, magnification: 2.5 };
  expect(viewOfState({ area, rotation: 0, isFlipped: false }, IMAGE, CANVAS)).toMatchObject({
    zoom: 2.5,
    center: { x: 15, y: 8 },
  });
});

test('TRUE SIZE is by the resolution that browsers assume', () => {
  const area = { ...AREA, mode: 'true_size' as const, spacing_mm: [0.5, 0.254] };
  // 96 pixels in 25.4 mm, two device pixels each: 0.254 mm are 0.96 pixels.
  const view = viewOfState({ area, rotation: 0, isFlipped: false }, IMAGE, { ...CANVAS, pixelRatio: 2 });
  expect(view.zoom).toBeCloseTo(1.92, 10);
});
