import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ViewState } from '../../../kit/state/viewState.ts';
import { applyMatrix, imageToCanvas } from '../viewTransform.ts';
import { placeTile } from './drawTiles.ts';

const views = fc.record({
  zoom: fc.double({ min: 0.003, max: 20, noNaN: true }),
  center: fc.record({ x: fc.integer({ min: 0, max: 4000 }), y: fc.integer({ min: 0, max: 3000 }) }),
  quarterTurns: fc.constantFrom<ViewState['quarterTurns']>(0, 1, 2, 3),
  flipHorizontal: fc.boolean(),
  flipVertical: fc.boolean(),
});
const IMAGE = { width: 4000, height: 3000, aspect: 1.25 };
const CANVAS = { width: 801, height: 600 };

test('a tile lies within half a pixel of where the view puts it, its corners in their order', () => {
  fc.assert(
    fc.property(views, fc.integer({ min: 0, max: 12 }), (view, column) => {
      const matrix = imageToCanvas(view, IMAGE, CANVAS);
      const tile = { x: column * 256.37, y: 512, width: 256.37, height: 300 };
      const placed = placeTile(matrix, tile);
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const) {
        const wanted = applyMatrix(matrix, { x: tile.x + u * tile.width, y: tile.y + v * tile.height });
        const at = applyMatrix(placed, { x: u, y: v });
        expect(Math.abs(at.x - wanted.x)).toBeLessThanOrEqual(0.5 + 1e-6);
        expect(Math.abs(at.y - wanted.y)).toBeLessThanOrEqual(0.5 + 1e-6);
        expect(at).toEqual({ x: Math.round(at.x), y: Math.round(at.y) });
      }
    }),
  );
});

test('neighbours share an edge: there is neither a seam nor a pixel drawn twice', () => {
  fc.assert(
    fc.property(views, fc.integer({ min: 0, max: 12 }), (view, column) => {
      const matrix = imageToCanvas(view, IMAGE, CANVAS);
      const width = 256.37;
      const [left, right] = [column, column + 1].map((at) =>
        placeTile(matrix, { x: at * width, y: 0, width, height: 9 }),
      );
      expect(applyMatrix(left!, { x: 1, y: 0 })).toEqual(applyMatrix(right!, { x: 0, y: 0 }));
    }),
  );
});
