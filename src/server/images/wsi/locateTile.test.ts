import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { locateTile } from './locateTile.ts';
import type { DeclaredFrames, SlideLayout } from './slideLayout.ts';

/** 25 x 14 samples in tiles of 10 x 6: three by three tiles, the last ones truncated. */
function createLayout(different: Partial<SlideLayout> = {}): SlideLayout {
  return {
    tiling: 'full',
    totalRows: 14,
    totalColumns: 25,
    tileRows: 6,
    tileColumns: 10,
    frameOffset: 0,
    opticalPathCount: 1,
    focalPlaneCount: 1,
    opticalPathIdentifiers: [],
    opticalPathDescriptions: [],
    objectivePowers: [],
    wavelengthsNm: [],
    firstFocalPlaneUm: 0,
    focalPlaneDistanceUm: undefined,
    absentPixelCielab: undefined,
    frames: undefined,
    ...different,
  };
}

test('tiles of a full raster come column by column, row by row, plane by plane, path by path', () => {
  const size = fc.integer({ min: 1, max: 40 });
  const few = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(size, size, size, size, few, few, (totalRows, totalColumns, tileRows, tileColumns, paths, planes) => {
      const layout = createLayout({
        totalRows,
        totalColumns,
        tileRows,
        tileColumns,
        opticalPathCount: paths,
        focalPlaneCount: planes,
      });
      // The order of the standard, written as the loops it describes. PS3.3 C.7.6.17.3.
      let frame = 0;
      for (let path = 0; path < paths; path += 1) {
        for (let plane = 0; plane < planes; plane += 1) {
          for (let y = 0; y < totalRows; y += tileRows) {
            for (let x = 0; x < totalColumns; x += tileColumns) {
              expect(locateTile(layout, frame)).toMatchObject({
                positionSource: 'dicom_tiled_full_raster',
                rectangle: {
                  x,
                  y,
                  width: Math.min(tileColumns, totalColumns - x),
                  height: Math.min(tileRows, totalRows - y),
                },
                tileRow: y / tileRows,
                tileColumn: x / tileColumns,
                opticalPath: { index: path },
                focalPlane: { index: plane },
              });
              frame += 1;
            }
          }
        }
      }
      expect(locateTile(layout, frame)).toMatchObject({ positionSource: 'unavailable', rectangle: undefined });
    }),
    { numRuns: 40 },
  );
});

test('the frames of earlier parts count', () => {
  // Frame 2 of a part that starts at frame 5: the eighth tile, in the middle of the bottom row.
  expect(locateTile(createLayout({ frameOffset: 5 }), 2)).toMatchObject({
    tileRow: 2,
    tileColumn: 1,
    rectangle: { x: 10, y: 12, width: 10, height: 2 },
  });
});

test('the identifier is that of the path, and the height grows from plane to plane', () => {
  const layout = createLayout({
    opticalPathCount: 2,
    focalPlaneCount: 3,
    opticalPathIdentifiers: ['dapi', 'fitc'],
    firstFocalPlaneUm: 2,
    focalPlaneDistanceUm: 0.5,
  });
  // 9 tiles per plane: frame 9 * (3 + 2) is the first of the last plane of the second path.
  expect(locateTile(layout, 45)).toMatchObject({
    opticalPath: { index: 1, identifier: 'fitc' },
    focalPlane: { index: 2, zOffsetSlide: 3 },
  });
});

test('a frame beyond the raster has no place, and the answer says what there is', () => {
  const { warnings } = locateTile(createLayout(), 9);
  expect(warnings).toEqual([
    'frame 9 of the level is beyond the frames that TILED_FULL describes: 3 x 3 tiles, 1 focal plane, 1 optical path',
  ]);
});

test('without the size of the matrix there is no place', () => {
  const place = locateTile(createLayout({ totalRows: undefined }), 0);
  expect(place).toMatchObject({ positionSource: 'unavailable', rectangle: undefined });
  expect(place.warnings).toHaveLength(1);
});

function declare(
  ...frames: readonly (readonly [x: number, y: number, z: number, path: string | undefined])[]
): DeclaredFrames {
  const pathNames = [...new Set(frames.flatMap(([, , , path]) => path ?? []))];
  return {
    x: Float64Array.from(frames, ([x]) => x),
    y: Float64Array.from(frames, ([, y]) => y),
    z: Float64Array.from(frames, ([, , z]) => z),
    focalPlanesUm: [...new Set(frames.map(([, , z]) => z))].filter((z) => !Number.isNaN(z)).toSorted((a, b) => a - b),
    pathOf: Int16Array.from(frames, ([, , , path]) => (path === undefined ? -1 : pathNames.indexOf(path))),
    pathNames,
  };
}

test('sparse tiles lie where each frame declares, clipped, with their own path and plane', () => {
  const layout = createLayout({
    tiling: 'sparse',
    opticalPathIdentifiers: ['a', 'b'],
    frames: declare([20, 12, 4, 'b'], [3, 6, 1.5, 'c'], [-4, 0, NaN, undefined]),
  });
  expect(locateTile(layout, 0)).toEqual({
    positionSource: 'declared_per_frame',
    rectangle: { x: 20, y: 12, width: 5, height: 2 },
    tileRow: 2,
    tileColumn: 2,
    opticalPath: { index: 1, identifier: 'b' },
    focalPlane: { index: 1, zOffsetSlide: 4 },
    warnings: [],
  });
  // Column 3 is not a multiple of 10, so the tile is not on the grid, and the path is not among those of the file.
  expect(locateTile(layout, 1)).toMatchObject({
    tileRow: 1,
    tileColumn: undefined,
    opticalPath: { index: undefined, identifier: 'c' },
    focalPlane: { index: 0, zOffsetSlide: 1.5 },
  });
  expect(locateTile(layout, 2)).toMatchObject({
    rectangle: { x: 0, y: 0, width: 6, height: 6 },
    opticalPath: undefined,
    focalPlane: undefined,
  });
});

test.each([
  ['declares no position', NaN, 'the frame declares no position in the total pixel matrix'],
  ['lies outside', 25, 'the frame declares a position outside the matrix: column 26, row 1'],
])('a sparse tile that %s is told', (_, x, warning) => {
  const place = locateTile(createLayout({ tiling: 'sparse', frames: declare([x, 0, NaN, undefined]) }), 0);
  expect(place).toMatchObject({ positionSource: 'unavailable', rectangle: undefined, warnings: [warning] });
});
