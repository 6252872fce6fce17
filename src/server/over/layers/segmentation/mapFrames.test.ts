import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameGeometry } from '../../../../../test/support/createFrameGeometry.ts';
import { buildImagePlane, type ImagePlane } from '../../../../shared/geometry.ts';
import { listAt, RaggedBuilder } from '../../../images/references/ragged.ts';
import { MAPPING_STATUSES } from './frameMappings.ts';
import { mapFrames, type PlacedSegmentation } from './mapFrames.ts';
import { createSourcePlanes, type SourceGeometry } from './sourcePlanes.ts';

const AXIAL = [1, 0, 0, 0, 1, 0];
const FRAME_OF_REFERENCE = '2.25.5';

function planeAtHeight(z: number, orientation = AXIAL, [x, y] = [0, 0]): ImagePlane {
  const plane = buildImagePlane([x, y, z], orientation, [1, 1]);
  if (plane === undefined) throw new Error('no plane');
  return plane;
}

function source(uid: string, planes: readonly ImagePlane[], different: Partial<SourceGeometry> = {}): SourceGeometry {
  return {
    sopInstanceUid: uid,
    seriesInstanceUid: '2.25.8',
    rows: 4,
    columns: 4,
    frameCount: planes.length,
    geometry: createFrameGeometry(planes, { frameOfReferenceUid: FRAME_OF_REFERENCE }),
    ...different,
  };
}

/** A segmentation with one frame. Without `named`, sources are declared only for the whole object. */
function segmentation(
  plane: ImagePlane,
  {
    named = [],
    sliceSpacingMm,
  }: {
    named?: readonly (readonly [uid: string, ...frameNumbers: number[]])[];
    sliceSpacingMm?: number | undefined;
  } = {},
): PlacedSegmentation {
  const frameNumbers = new RaggedBuilder();
  for (const [, ...numbers] of named) frameNumbers.add(numbers);
  const derivedFrom = new RaggedBuilder();
  derivedFrom.add(named.keys());
  return {
    rows: 4,
    columns: 4,
    frames: {
      length: 1,
      segmentNumbers: Int32Array.of(1),
      geometry: createFrameGeometry([plane], { frameOfReferenceUid: FRAME_OF_REFERENCE, sliceSpacingMm }),
      sliceSpacing: { reason: 'there is only one frame' },
      derivedFrom: derivedFrom.build(),
      sources: {
        uids: named.map(([uid]) => uid),
        uid: Uint32Array.from(named.keys()),
        frameNumbers: frameNumbers.build(),
        isPreserved: new Uint8Array(named.length),
      },
      declaredUids: ['2.25.1', '2.25.2', '2.25.3'],
      declaredSeriesUids: [],
    },
  };
}

/** Status, and the matching source frames as [index of the source, frame]. */
function map(placed: PlacedSegmentation, sources: readonly SourceGeometry[]) {
  const { statuses, fits } = mapFrames(placed, sources);
  return [MAPPING_STATUSES[statuses[0]!], ...listAt(fits, 0)];
}

describe('a source plane is that of the frame', () => {
  test.each([
    ['within a thousandth of a millimetre', 0.0009, undefined, 'resolved'],
    ['not beyond it', 0.0011, undefined, 'missing'],
    ['within a hundredth of slices 5 mm apart', 0.049, 5, 'resolved'],
    ['not beyond that', 0.051, 5, 'missing'],
  ])('%s', (_, distanceMm, sliceSpacingMm, status) => {
    const sources = [source('2.25.1', [planeAtHeight(10 + distanceMm)])];

    expect(map(segmentation(planeAtHeight(10), { sliceSpacingMm }), sources)[0]).toBe(status);
    expect(map(segmentation(planeAtHeight(10), { sliceSpacingMm, named: [['2.25.1']] }), sources)[0]).toBe(status);
  });

  // The normal of a plane tilted by a small angle differs in y by about that angle.
  test.each([
    ['tilted by less than 1e-4', 0.9e-4, 'resolved'],
    ['not tilted by more', 1.1e-4, 'missing'],
  ])('%s', (_, tilt, status) => {
    const orientation = [1, 0, 0, 0, Math.cos(tilt), Math.sin(tilt)];

    expect(map(segmentation(planeAtHeight(10)), [source('2.25.1', [planeAtHeight(10, orientation)])])[0]).toBe(status);
  });

  test('seen from behind too', () => {
    const behind = planeAtHeight(10, [-1, 0, 0, 0, 1, 0], [3, 0]);

    expect(map(segmentation(planeAtHeight(10)), [source('2.25.1', [behind])])).toEqual(['resolved', 0, 0]);
  });
});

describe('what a frame names comes before what the object declares', () => {
  const z10 = planeAtHeight(10);

  test('so that it is not ambiguous where another declared image lies in the same plane', () => {
    const sources = [source('2.25.1', [z10]), source('2.25.2', [z10])];

    expect(map(segmentation(z10, { named: [['2.25.2']] }), sources)).toEqual(['resolved', 1, 0]);
    expect(map(segmentation(z10), sources)).toEqual(['ambiguous', 0, 0, 1, 0]);
  });

  test('and where it is not open, no other takes its place', () => {
    expect(map(segmentation(z10, { named: [['2.25.9']] }), [source('2.25.1', [z10])])).toEqual(['missing']);
  });

  test('of the frames that it numbers only those in its plane fit', () => {
    const volume = source('2.25.1', [planeAtHeight(9), z10, planeAtHeight(11), z10]);

    expect(map(segmentation(z10, { named: [['2.25.1', 1, 2]] }), [volume])).toEqual(['resolved', 0, 1]);
    expect(map(segmentation(z10, { named: [['2.25.1', 2, 4]] }), [volume])).toEqual(['ambiguous', 0, 1, 0, 3]);
    expect(map(segmentation(z10, { named: [['2.25.1']] }), [volume])).toEqual(['ambiguous', 0, 1, 0, 3]);
  });
});

test('by geometry alone both must name the same frame of reference', () => {
  const plane = planeAtHeight(10);
  const placed = source('2.25.1', [plane]);
  const elsewhere = { ...placed, geometry: { ...placed.geometry!, frameOfReferenceUid: undefined } };

  expect(map(segmentation(plane), [elsewhere])).toEqual(['missing']);
  // A frame that names its source does not need one.
  expect(map(segmentation(plane, { named: [['2.25.1']] }), [elsewhere])).toEqual(['resolved', 0, 0]);
});

test('the coordinates of an ultrasound volume are not those of the patient', () => {
  const plane = planeAtHeight(10);
  const placed = source('2.25.1', [plane]);
  const volume = { ...placed, geometry: { ...placed.geometry!, space: 'volume' as const } };

  expect(map(segmentation(plane), [volume])).toEqual(['missing']);
  expect(map(segmentation(plane, { named: [['2.25.1']] }), [volume])).toEqual(['missing']);
});

test('an image that is no declared source is not asked', () => {
  const plane = planeAtHeight(10);

  expect(map(segmentation(plane), [source('2.25.77', [plane])])).toEqual(['missing']);
});

test('the search finds what a look at every source frame finds', () => {
  const place = fc.tuple(
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: 0, max: 400 }),
    fc.integer({ min: 0, max: 400 }),
  );
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 300 }), place, (places, [z, x, y]) => {
      const planes = places.map(([height, ...corner]) => planeAtHeight(height, AXIAL, corner));
      const sources = [source('2.25.1', planes)];
      const grid = { rows: 4, columns: 4, plane: planeAtHeight(z, AXIAL, [x, y]) };

      const found = new Set(
        createSourcePlanes(sources)
          .near(grid, 0.5)
          .map(({ frame }) => frame),
      );

      // Every source frame that shares a pixel with the frame must be among them.
      const missed = places.filter(([height, left, top], frame) => {
        const overlaps = height === z && Math.abs(left - x) < 4 && Math.abs(top - y) < 4;
        return overlaps && !found.has(frame);
      });
      expect(missed).toEqual([]);
    }),
  );
});
