import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAnnotation } from '../../../shared/annotations.ts';
import type { AnnotationPayload, RoiBox } from '../../../shared/contract/annotations.ts';
import { findImported, NOTHING_IMPORTED, packAnnotations, packRois, unpackRois } from './packedRois.ts';
import { PIECE_LENGTH } from '../../machine/workers/jsonPieces.ts';
import { writePayload } from './writeRois.ts';

const BOUNDS = { rows: 65_535, columns: 65_535, frameCount: 2 ** 31 };

test('packed ROIs are found again for each file', () => {
  fc.assert(
    fc.property(
      fc
        .uniqueArray(fc.nat(60))
        .chain((indices) => fc.tuple(...indices.map((i) => fc.tuple(fc.constant(i), payload())))),
      (entries) => {
        const payloads = new Map(entries);
        const packed = packAnnotations(payloads);
        for (let index = 0; index <= 61; index += 1) {
          const found = findImported(packed, index);
          expect(found && unpackRois(found)).toEqual(payloads.get(index));
        }
        expect([...packed.fileIndices]).toEqual([...payloads.keys()].toSorted((a, b) => a - b));
      },
    ),
  );
});

test('the JSON of a payload is written, even if other files precede it', () => {
  fc.assert(
    fc.property(payload(), payload(), (before, wanted) => {
      const found = findImported(
        packAnnotations(
          new Map([
            [3, before],
            [8, wanted],
          ]),
        ),
        8,
      );
      expect(found && [...writePayload(found)].join('')).toBe(JSON.stringify(wanted));
    }),
  );
});

test('a long payload is written in short texts, even if one box lists many frames', () => {
  const frames = Array.from({ length: 50_000 }, (_, frame) => frame);
  const boxes = Array.from({ length: 20_000 }, (): RoiBox => [1, 2, 30, 40]);
  const long = {
    num_roi: boxes.length,
    roi_coords: boxes,
    roi_frames: boxes.map((_, roi) => (roi === 7 ? frames : [])),
  };
  const texts = [...writePayload(packRois([long]))];
  expect(texts.join('')).toBe(JSON.stringify(long));
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(2 * PIECE_LENGTH);
});

test('without an import, no file has ROIs', () => {
  expect(findImported(NOTHING_IMPORTED, 0)).toBeUndefined();
});

function payload(): fc.Arbitrary<AnnotationPayload> {
  const box = fc
    .tuple(fc.nat(65_000), fc.nat(65_000), fc.integer({ min: 1, max: 535 }), fc.integer({ min: 1, max: 535 }))
    .map(([y, x, height, width]): RoiBox => [y, x, y + height, x + width]);
  const roi = fc.tuple(box, fc.array(fc.nat(2 ** 31 - 1), { maxLength: 4 }));
  return fc.array(roi, { maxLength: 5 }).map((rois) => {
    const value = {
      num_roi: rois.length,
      roi_coords: rois.map(([coords]) => coords),
      roi_frames: rois.map(([, frames]) => frames),
    };
    const checked = checkAnnotation(value, BOUNDS);
    if (!checked.ok) throw new Error(checked.problem.message);
    return checked.payload;
  });
}
