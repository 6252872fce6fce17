import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameGeometry } from '../../../../test/support/createFrameGeometry.ts';
import { createStackImage } from '../../../../test/support/createStackImage.ts';
import { buildImagePlane, type ImagePlane } from '../../../shared/geometry.ts';
import { findPlaneRun, originInRun, planeInRun } from '../../../shared/stackPlanes.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { planeAt } from '../../standard/geometry/frameGeometry.ts';
import { buildSeries } from './buildSeries.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { listPlaneRuns } from './stackPlanes.ts';

function planesOf(files: readonly DicomFile[], geometry?: ReadGeometry) {
  const sources = { files, geometryOf: () => geometry };
  const { stacks } = buildSeries({ studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3', ...sources });
  return stacks.map((stack) => ({ frames: stack.frames, runs: listPlaneRuns(stack, sources) }));
}

function imagesAt(points: readonly (readonly number[])[]): DicomFile[] {
  return points.map((position, index) => createStackImage(index, { placement: { position } }));
}

function multiFrame(planes: readonly ImagePlane[], different: Parameters<typeof createFrameGeometry>[1] = {}) {
  const file = createStackImage(0, { frameCount: planes.length, placement: { hasFrameGeometry: true } });
  const ranks = new Float64Array(planes.length).fill(NaN);
  return planesOf([file], { ...createFrameGeometry(planes, different), ranks })[0]!;
}

function plane(
  position: readonly number[],
  orientation: readonly number[] = [1, 0, 0, 0, 1, 0],
  spacing: readonly number[] = [1, 1],
): ImagePlane {
  return buildImagePlane(position, orientation, spacing)!;
}

test('a stack along its normal is described by its first point', () => {
  const [stack] = planesOf(imagesAt([3, 1, 2].map((z) => [-10, 20, z])));
  expect(stack?.runs).toEqual([
    {
      first: 0,
      count: 3,
      space: 'patient',
      orientation: [1, 0, 0, 0, 1, 0],
      origins_mm: [-10, 20, 1],
      origin_step: [0, 0, 1],
      pixel_spacing_mm: [0.7, 0.7],
      pixel_spacing_source: 'pixel_spacing',
    },
  ]);
});

test('ten thousand images take no more text than three', () => {
  const files = imagesAt(Array.from({ length: 10_000 }, (_, at) => [1, 2, at * 0.625]));
  const [stack] = planesOf(files);
  expect(stack?.frames.length).toBe(10_000);
  expect(JSON.stringify(stack?.runs).length).toBeLessThan(300);
});

test('a tilted stack shifts sideways with each millimetre', () => {
  // 2 mm along the normal and 1 mm to the side, with uneven spacing.
  const [stack] = planesOf(imagesAt([0, 1, 2, 5].map((n) => [0, n, 2 * n])));
  expect(stack?.runs).toMatchObject([{ origins_mm: [0, 0, 0], origin_step: [0, 0.5, 1] }]);
});

test('origins that are not on a line are listed one by one', () => {
  const [stack] = planesOf(
    imagesAt([
      [0, 0, 0],
      [0.5, 0, 1],
      [0, 0, 2],
    ]),
  );
  expect(stack?.runs).toMatchObject([{ count: 3, origin_step: null, origins_mm: [0, 0, 0, 0.5, 0, 1, 0, 0, 2] }]);
});

test('frames with another orientation or spacing form another run', () => {
  const sagittal = [0, 1, 0, 0, 0, -1];
  const { runs } = multiFrame([
    plane([0, 0, 1]),
    plane([0, 0, 2]),
    plane([0, 0, 3], undefined, [2, 2]),
    plane([5, 0, 0], sagittal),
  ]);
  expect(runs.map(({ first, count, pixel_spacing_mm }) => [first, count, pixel_spacing_mm])).toEqual([
    [0, 2, [1, 1]],
    [2, 1, [2, 2]],
    [3, 1, [1, 1]],
  ]);
  expect(runs[2]?.orientation).toEqual(sagittal);
});

test('slices of a reconstruction have positions, even though they stay in file order', () => {
  const { runs, frames } = multiFrame([plane([0, 0, 4]), plane([0, 0, 2])], { placesFrames: false, isSpatial: false });
  expect(Array.from(frames.positionsMm)).toEqual([NaN, NaN]);
  expect(runs).toMatchObject([{ origin_step: null, origins_mm: [0, 0, 4, 0, 0, 2] }]);
});

test('frames whose positions have not been read have no plane, and an image without a position has its spacing', () => {
  const unread = createStackImage(0, { frameCount: 2, placement: { hasFrameGeometry: true } });
  expect(planesOf([unread])[0]?.runs).toEqual([]);
  const projection = createStackImage(0, {
    pixelSpacingSource: 'imager',
    placement: { position: undefined, orientation: undefined },
  });
  expect(planesOf([projection])[0]?.runs).toEqual([
    {
      first: 0,
      count: 1,
      space: 'patient',
      orientation: null,
      origins_mm: null,
      origin_step: null,
      pixel_spacing_mm: [0.7, 0.7],
      pixel_spacing_source: 'imager',
    },
  ]);
});

test('all frames of a cine have their shared orientation', () => {
  const cine = createStackImage(0, { frameCount: 3, placement: { position: undefined } });
  expect(planesOf([cine])[0]?.runs).toMatchObject([{ count: 3, orientation: [1, 0, 0, 0, 1, 0], origins_mm: null }]);
});

test('a slide has the orientation of its matrix, but no positions of tiles', () => {
  const slide = {
    pyramidUid: undefined,
    containerIdentifier: 'S',
    totalRows: 10,
    totalColumns: 10,
    imagedVolumeWidthMm: undefined,
    originMm: [1, 2] as const,
    orientation: [0, -1, -1, 0] as const,
  };
  const level = createStackImage(0, {
    objectKind: 'whole_slide_microscopy',
    frameCount: 4,
    placement: { slide, position: undefined, orientation: undefined },
  });
  expect(planesOf([level])[0]?.runs).toMatchObject([
    { count: 4, space: 'slide', orientation: [0, -1, 0, -1, 0, 0], origins_mm: null },
  ]);
});

test('the written runs give every frame the plane that was read', () => {
  const coordinate = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -500, max: 500, noNaN: true }));
  const orientation = fc.constantFrom([1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, -1], [0.6, 0.8, 0, 0, 0, -1]);
  const one = fc.tuple(fc.tuple(coordinate, coordinate, coordinate), orientation, fc.constantFrom([1, 1], [0.5, 2]));
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (all) => {
      const planes = all.map(([position, directions, spacing]) => plane(position, directions, spacing));
      const geometry = createFrameGeometry(planes);
      const { runs, frames } = multiFrame(planes);
      for (let at = 0; at < frames.length; at += 1) {
        const run = findPlaneRun(runs, at)!;
        const read = planeAt(geometry, frames.frameIndices[at]!)!;
        const told = planeInRun(run, at, (index) => frames.positionsMm[index]!);
        expect({ ...told, position: undefined }).toEqual({ ...read, position: undefined });
        const origin = originInRun(run, at, (index) => frames.positionsMm[index]!)!;
        for (const axis of [0, 1, 2] as const) expect(Math.abs(origin[axis] - read.position[axis])).toBeLessThan(2e-6);
      }
    }),
  );
});
