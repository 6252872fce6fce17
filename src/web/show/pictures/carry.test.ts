import { describe, expect, test } from 'vitest';
import type { PictureSource } from './pictureSource.ts';
import type { ViewportScreen } from './viewports.ts';
import { WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import { carryView, findNearest } from './carry.ts';

function createSource(places: readonly (number | undefined)[]): Pick<PictureSource, 'positions' | 'axes'> {
  const axis = { name: 'place', unit: 'mm', frameOfReferenceUid: '1', valueOf: (at: number) => places[at] } as const;
  return { positions: places.length, axes: [axis] };
}

const screenOf = (width: number, height: number, fitZoom: number): ViewportScreen => ({
  width: 500,
  height: 500,
  image: { width, height, aspect: 1 },
  imageToScreen: [1, 0, 0, 1, 0, 0],
  zoom: fitZoom,
  fitZoom,
  pixelRatio: 1,
});

describe('linked scrolling', () => {
  test('goes to the slice that is nearest in the patient', () => {
    const source = createSource([-10, -5, 0, 5, 10]);
    expect([-100, -7.4, 2.4, 2.6, 100].map((place) => findNearest(source, place))).toEqual([0, 1, 2, 3, 4]);
  });

  test('knows no place where the stack has none', () => {
    expect(findNearest(createSource([undefined, undefined]), 3)).toBeUndefined();
    expect(findNearest(createSource([1, 2]), undefined)).toBeUndefined();
  });
});

describe('linked views', () => {
  test('show the same part of images of different sizes', () => {
    // Twice the fit zoom, centered at a quarter of the width and half of the height.
    const view = { ...WHOLE_IMAGE, zoom: 2, center: { x: 128, y: 256 }, quarterTurns: 1 as const };
    expect(carryView(view, screenOf(512, 512, 1), screenOf(256, 200, 2))).toEqual({
      ...view,
      zoom: 4,
      center: { x: 64, y: 100 },
    });
  });

  test('fit where the other fits', () => {
    expect(carryView(WHOLE_IMAGE, screenOf(512, 512, 1), screenOf(64, 64, 8))).toEqual(WHOLE_IMAGE);
  });
});
