import { describe, expect, test } from 'vitest';
import type { ViewStack } from '../state/stacks.ts';
import type { ViewportScreen } from '../state/viewports.ts';
import { WHOLE_IMAGE } from '../state/viewState.ts';
import { carryView, findNearest } from './carry.ts';

function createStack(positions: readonly (number | undefined)[]): ViewStack {
  return {
    id: 'stack',
    kind: 'ordinary',
    frames: positions.map((positionMm, fileIndex) => ({ fileIndex, frame: 0, sopInstanceUid: '', positionMm })),
    warnings: [],
    fileIndex: 0,
    seriesUid: undefined,
    studyUid: undefined,
  };
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
    const stack = createStack([-10, -5, 0, 5, 10]);
    expect([-100, -7.4, 2.4, 2.6, 100].map((place) => findNearest(stack, place))).toEqual([0, 1, 2, 3, 4]);
  });

  test('knows no place where the stack has none', () => {
    expect(findNearest(createStack([undefined, undefined]), 3)).toBeUndefined();
    expect(findNearest(createStack([1, 2]), undefined)).toBeUndefined();
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
