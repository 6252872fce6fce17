import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, containsCentre, type Region, rowsOf } from './region.ts';

const IMAGE = { width: 12, height: 9 };

test('a rectangle between pixel edges holds exactly the pixels between them', () => {
  const region: Region = { shape: 'rectangle', from: { x: 2, y: 3 }, to: { x: 5, y: 7 } };

  expect(rowsOf(region, IMAGE)).toEqual({ first: 3, end: 7 });
  expect(columnsOf(region, 3, IMAGE)).toEqual({ first: 2, end: 5 });
});

test('a pixel counts when its centre is inside, however little of it is', () => {
  // Centers of columns 2, 3 and 4 are at 2.5, 3.5 and 4.5.
  const region: Region = { shape: 'rectangle', from: { x: 2.4, y: 0 }, to: { x: 4.45, y: 1 } };

  expect(columnsOf(region, 0, IMAGE)).toEqual({ first: 2, end: 4 });
});

test('an ellipse of 4 by 4 pixels leaves out its four corners', () => {
  const region: Region = { shape: 'ellipse', from: { x: 0, y: 0 }, to: { x: 4, y: 4 } };

  // Centers are 0.5 and 1.5 from the middle: 1.5² + 1.5² = 4.5 > 2², but 1.5² + 0.5² = 2.5 < 2².
  expect([0, 1, 2, 3].map((row) => columnsOf(region, row, IMAGE))).toEqual([
    { first: 1, end: 3 },
    { first: 0, end: 4 },
    { first: 0, end: 4 },
    { first: 1, end: 3 },
  ]);
});

test('rows and columns of any region are those of the pixels whose centres are inside', () => {
  const point = fc.record({ x: along(IMAGE.width), y: along(IMAGE.height) });
  const anyRegion = fc.record({
    shape: fc.constantFrom<Region['shape']>('rectangle', 'ellipse'),
    from: point,
    to: point,
  });
  fc.assert(
    fc.property(anyRegion, (region) => {
      expect(pixelsBySpan(region)).toEqual(pixelsOneByOne(region));
    }),
    { numRuns: 2_000 },
  );
});

/** In eighths, so that centers lie on the line often enough. */
function along(size: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: size * 8 }).map((eighths) => eighths / 8);
}

function pixelsBySpan(region: Region): string[] {
  const pixels: string[] = [];
  const rows = rowsOf(region, IMAGE);
  for (let row = rows.first; row < rows.end; row++) {
    const { first, end } = columnsOf(region, row, IMAGE);
    for (let column = first; column < end; column++) pixels.push(`${column} ${row}`);
  }
  return pixels;
}

function pixelsOneByOne(region: Region): string[] {
  const pixels: string[] = [];
  for (let row = 0; row < IMAGE.height; row++) {
    for (let column = 0; column < IMAGE.width; column++) {
      if (containsCentre(region, column, row)) pixels.push(`${column} ${row}`);
    }
  }
  return pixels;
}
