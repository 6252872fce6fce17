import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Matrix, Point } from '../../../kit/state/viewState.ts';
import { findMeasureHit, toScreen } from './measureHit.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';

const at = fc.record({ x: fc.integer({ min: 0, max: 60 }), y: fc.integer({ min: 0, max: 60 }) });
const kind = fc.constantFrom('length', 'ellipse', 'box', 'polygon', 'arrow', 'cobb', 'bidirectional', 'point');
/** A quarter turn with a mirror and pixels that are not square, at another place. */
const TURNED: Matrix = [0, 2, 3, 0, -20, 5];

function createItem(uid: string, ofKind: Measurement['kind'], points: readonly Point[]): Measurement {
  const count = { length: 2, ellipse: 2, box: 2, polygon: 4, arrow: 2, cobb: 4, bidirectional: 4, point: 1 };
  const kept = points.slice(0, Object(count)[ofKind]);
  const place = { type: 'frame' as const };
  const unknown = { words: NO_WORDS, scale: undefined, values: undefined };
  return { uid, kind: ofKind, fileIndex: 0, frame: 0, place, points: kept, ...unknown };
}

test('looking only at marks near the pointer finds the same as looking at each', () => {
  const item = fc
    .tuple(kind, fc.array(at, { minLength: 4, maxLength: 4 }))
    // The server refuses an ellipse without a width or height.
    .filter(([ofKind, [a, b]]) => ofKind !== 'ellipse' || (a?.x !== b?.x && a?.y !== b?.y));
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), at, (given, point) => {
      const items = given.map(([ofKind, points], n) => createItem(String(n), ofKind, points));
      const [pointer] = toScreen([point], TURNED);
      const hit = findMeasureHit(pointer!, { items, selected: undefined, imageToScreen: TURNED, reach: 5 });
      const near = items.filter((one) => {
        const distance = MEASURE_KINDS[one.kind].distanceTo(pointer!, toScreen(one.points, TURNED));
        return distance <= 5;
      });
      expect(hit?.item.uid).toBe(near.at(-1)?.uid);
    }),
    { numRuns: 300 },
  );
});
