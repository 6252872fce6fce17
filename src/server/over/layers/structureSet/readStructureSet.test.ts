import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, boolean, double, integer, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { sourceOf } from '../../../../../test/support/sources.ts';
import { structureSetElements, type WrittenRoi } from '../../../../../test/support/structureSetElements.ts';
import { createTempFolder } from '../../../../../test/support/tempFolder.ts';
import { writeDicom } from '../../../standard/dicom/writeDicom.ts';
import { parseDecimal, readStructureSet } from './readStructureSet.ts';

function parse(text: string): number {
  const bytes = Buffer.from(`\\${text}\\`, 'latin1');
  return parseDecimal(bytes, 1, bytes.length - 1);
}

test('a Decimal String in bytes is the number that JavaScript reads from its text, to the last bit', () => {
  const plain = tuple(boolean(), integer({ min: 0, max: 1e9 }), integer({ min: 0, max: 999_999 }));
  assert(
    property(plain, double({ noNaN: true, noDefaultInfinity: true }), ([isNegative, whole, part], any) => {
      for (const text of [`${isNegative ? '-' : '+'}${whole}.${part}`, ` ${whole}`, `.${part} `, String(any)]) {
        expect([text, parse(text)]).toEqual([text, Number(text)]);
      }
    }),
  );
});

test.each([
  ['', NaN],
  ['  ', NaN],
  ['-', NaN],
  ['1.2.3', NaN],
  ['abc', NaN],
  ['12\0', 12],
  ['-0.5\0 ', -0.5],
  ['1.5E+02', 150],
  ['0.1234567890123456', 0.123_456_789_012_345_6],
  ['1e400', Infinity],
])('%j is %j', (text, value) => {
  expect(parse(text)).toBe(value);
});

test('values across the pieces in which a contour is read are whole', () => {
  // 64 KiB are read at a time: three values of 10 to 30 characters each cross the borders at every place.
  const points = Array.from({ length: 20_000 }, (_, i) =>
    [i / 7, -i / 3, 5].map((value) => Number(value.toFixed(i % 9))),
  );
  const text = points.map((point) => point.join('\\')).join('\\');
  const data = { vr: 'UN', value: Buffer.from(text.length % 2 === 0 ? text : `${text} `) } as const;
  const contours = [{ points: [], type: 'OPEN_PLANAR', different: { ContourData: data } }];
  const path = write([{ number: 1, name: 'Long', contours }]);

  const { contours: read } = readStructureSet({ source: sourceOf(path), mostBytes: 1e6 });
  expect(read.length).toBe(1);
  expect(read.points).toEqual(Float32Array.from(points.flat()));
});

test('contours that need more memory than there is for them are refused, and so are more than eight million points', () => {
  // 12 bytes for a point.
  expect(readPoints(2000, 24_000)().contours.starts[1]).toBe(2000);
  expect(readPoints(2001, 24_000)).toThrow('need more than the 0.0 MB that --memory leaves for them');
  expect(readPoints(8_000_001, 1e9)).toThrow('more than 8000000 points');
});

function write(rois: readonly WrittenRoi[]): string {
  const path = join(createTempFolder(), 'structures.dcm');
  writeFileSync(path, writeDicom(structureSetElements(rois)));
  return path;
}

/** Reads a structure set with one contour of so many points. */
function readPoints(points: number, mostBytes: number) {
  const contour = { type: 'POINT', points: [], different: { ContourData: repeated(points) } } as const;
  const path = write([{ number: 1, name: 'Many', contours: [contour] }]);
  return () => readStructureSet({ source: sourceOf(path), mostBytes });
}

/** Contour Data of so many points. */
function repeated(points: number) {
  return { vr: 'UN', value: Buffer.alloc(6 * points, '1\\2\\3\\') } as const;
}
