import { expect, test } from 'vitest';
import {
  describeFrameDamage,
  type FrameDamage,
  formatFrameDamage,
  isDamagedRow,
  parseFrameDamage,
} from './frameDamage.ts';

test.each<[FrameDamage, string, string]>([
  [
    { kind: 'truncated', missing: 0.4128, intactRows: 300 },
    'truncated;missing=0.413;intact-rows=300',
    '41 % of this image is missing',
  ],
  [
    { kind: 'truncated', missing: undefined, intactRows: 0 },
    'truncated;intact-rows=0',
    'Part of this image is missing',
  ],
  [{ kind: 'corrupt', missing: undefined, intactRows: 0 }, 'corrupt;intact-rows=0', 'Part of this image is damaged'],
  [
    { kind: 'truncated', missing: 1, intactRows: 0 },
    'truncated;missing=1;intact-rows=0',
    'No pixel of this image is complete',
  ],
  // For a progressive stream and a JPEG 2000 stream in one tile, other values replace the unknown fraction of pixels.
  [
    { kind: 'truncated', missing: undefined, missingData: 0.5731, intactRows: 0 },
    'truncated;missing-data=0.573;intact-rows=0',
    'Incomplete: 57 % of the data of this image is missing',
  ],
  [
    { kind: 'truncated', missing: undefined, wholeScans: 3, intactRows: 0 },
    'truncated;whole-scans=3;intact-rows=0',
    'Incomplete: the data of this image ends after 3 scans',
  ],
  [
    { kind: 'truncated', missing: undefined, wholeScans: 0, intactRows: 0 },
    'truncated;whole-scans=0;intact-rows=0',
    'Incomplete: the data of this image ends in its first scan',
  ],
  // One missing pixel of a large image is not rounded to 0, and all but one are not rounded to 1.
  [
    { kind: 'truncated', missing: 1e-7, intactRows: 9 },
    'truncated;missing=0.001;intact-rows=9',
    'Less than 1 % of this image is missing',
  ],
  [
    { kind: 'truncated', missing: 0.99999, intactRows: 0 },
    'truncated;missing=0.999;intact-rows=0',
    '99 % of this image is missing',
  ],
])('%j is written as %s and described as "%s"', (damage, header, text) => {
  expect(formatFrameDamage(damage)).toBe(header);
  expect(describeFrameDamage(damage)).toBe(text);
  const read = parseFrameDamage(header);
  expect(read?.kind).toBe(damage.kind);
  expect(read?.intactRows).toBe(damage.intactRows);
  expect(read?.missing === undefined).toBe(damage.missing === undefined);
});

test('no header means a complete frame, and an unknown term means damage', () => {
  expect(parseFrameDamage(null)).toBeUndefined();
  expect(parseFrameDamage('scrambled;missing=no')).toEqual({ kind: 'corrupt', missing: undefined, intactRows: 0 });
});

test('the rows above the damage are intact', () => {
  const damage: FrameDamage = { kind: 'truncated', missing: 0.5, intactRows: 12 };
  expect([isDamagedRow(damage, 11), isDamagedRow(damage, 12), isDamagedRow(undefined, 12)]).toEqual([
    false,
    true,
    false,
  ]);
});
