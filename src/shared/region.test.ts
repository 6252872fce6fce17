import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, containsCentre, polygonRegion, type Region, rowsOf, spansOf } from './region.ts';

type Point = Region['from'];

const IMAGE = { width: 12, height: 9 };
const anyPoint = fc.record({ x: along(IMAGE.width), y: along(IMAGE.height) });

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
  const anyRegion = fc.record({
    shape: fc.constantFrom('rectangle' as const, 'ellipse' as const),
    from: anyPoint,
    to: anyPoint,
  });
  fc.assert(
    fc.property(anyRegion, (region) => {
      expect(pixelsBySpan(region)).toEqual(pixelsOneByOne(region));
    }),
    { numRuns: 2_000 },
  );
});

test('a polygon around a rectangle holds the same pixels as the rectangle', () => {
  fc.assert(
    fc.property(anyPoint, anyPoint, (from, to) => {
      const corners = [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }];
      expect(pixelsBySpan(polygonRegion(corners))).toEqual(pixelsOneByOne({ shape: 'rectangle', from, to }));
    }),
  );
});

test('a polygon holds the pixels whose centers are on its outline, or have an odd number of edges to their right', () => {
  fc.assert(
    fc.property(fc.array(anyPoint, { minLength: 3, maxLength: 8 }), (corners) => {
      const wanted: string[] = [];
      for (let row = 0; row < IMAGE.height; row++) {
        for (let column = 0; column < IMAGE.width; column++) {
          if (isInPolygon({ x: column + 0.5, y: row + 0.5 }, corners)) wanted.push(`${column} ${row}`);
        }
      }
      expect(pixelsBySpan(polygonRegion(corners))).toEqual(wanted);
    }),
    { numRuns: 1_000 },
  );
});

/** Without division: coordinates are eighths, so all products are exact. */
function isInPolygon({ x, y }: Point, corners: readonly Point[]): boolean {
  let isInside = false;
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length] ?? a;
    const side = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
    const isBeside =
      x >= Math.min(a.x, b.x) && x <= Math.max(a.x, b.x) && y >= Math.min(a.y, b.y) && y <= Math.max(a.y, b.y);
    if (side === 0 && isBeside) return true;
    // An edge that goes down has the center on its right side if it is to the right of the center.
    if (a.y <= y !== b.y <= y && (a.y < b.y ? side > 0 : side < 0)) isInside = !isInside;
  }
  return isInside;
}

/** In eighths, so that centers lie on the line often enough. */
function along(size: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: size * 8 }).map((eighths) => eighths / 8);
}

function pixelsBySpan(region: Region): string[] {
  const pixels: string[] = [];
  const rows = rowsOf(region, IMAGE);
  for (let row = rows.first; row < rows.end; row++) {
    for (const { first, end } of spansOf(region, row, IMAGE)) {
      for (let column = first; column < end; column++) pixels.push(`${column} ${row}`);
    }
  }
  return pixels;
}

function pixelsOneByOne(region: Parameters<typeof containsCentre>[0]): string[] {
  const pixels: string[] = [];
  for (let row = 0; row < IMAGE.height; row++) {
    for (let column = 0; column < IMAGE.width; column++) {
      if (containsCentre(region, column, row)) pixels.push(`${column} ${row}`);
    }
  }
  return pixels;
}
