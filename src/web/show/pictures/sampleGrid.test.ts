import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildSampleGrid } from './sampleGrid.ts';
import { applyMatrix, imageToCanvas, invertMatrix } from './viewTransform.ts';

test('the grid names the sample under the middle of every pixel, however the image lies', () => {
  fc.assert(
    fc.property(
      fc.record({
        zoom: fc.double({ min: 0.2, max: 6, noNaN: true }),
        center: fc.record({
          x: fc.double({ min: -5, max: 20, noNaN: true }),
          y: fc.double({ min: -5, max: 20, noNaN: true }),
        }),
        quarterTurns: fc.constantFrom(0, 1, 2, 3),
        flipHorizontal: fc.boolean(),
        flipVertical: fc.boolean(),
      }),
      fc.record({
        width: fc.integer({ min: 1, max: 30 }),
        height: fc.integer({ min: 1, max: 30 }),
        aspect: fc.constantFrom(1, 0.5, 1.3),
      }),
      (view, image) => {
        const canvas = { width: 17, height: 11 };
        const matrix = imageToCanvas(view, image, canvas);
        const { offsetsAcross, offsetsDown } = buildSampleGrid(matrix, image, canvas);
        const inverse = invertMatrix(matrix);
        for (let y = 0; y < canvas.height; y++) {
          for (let x = 0; x < canvas.width; x++) {
            const point = applyMatrix(inverse, { x: x + 0.5, y: y + 0.5 });
            // On an edge between two samples, either one is correct.
            if ([point.x, point.y].some((at) => Math.abs(at - Math.round(at)) < 1e-9)) continue;
            const [column, row] = [Math.floor(point.x), Math.floor(point.y)];
            const isInside = column >= 0 && row >= 0 && column < image.width && row < image.height;
            const [across, down] = [offsetsAcross[x] ?? -1, offsetsDown[y] ?? -1];
            expect(across < 0 || down < 0 ? -1 : across + down).toBe(isInside ? row * image.width + column : -1);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
