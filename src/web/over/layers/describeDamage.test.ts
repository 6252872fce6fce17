import { expect, test } from 'vitest';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import { type DamagedLayerPart, describeDamage } from './describeDamage.ts';

const damage: FrameDamage = { kind: 'truncated', missing: 0.5, intactRows: 10 };
const parts = [{ number: 4, name: 'Liver', color: [255, 0, 0] as const }];

function damaged(part: number | undefined, noun = 'mask'): DamagedLayerPart {
  return { part, damage, noun, parts };
}

test('one damaged part is named, and several are counted by what they are', () => {
  expect(describeDamage([])).toBeUndefined();
  expect(describeDamage([damaged(4)])).toMatch(/the mask of Liver.* in its file$/);
  expect(describeDamage([damaged(undefined)])).toMatch(/the mask of this image.* in its file$/);
  expect(describeDamage([damaged(4), damaged(4)])).toBe('2 masks of this image are truncated or damaged in their file');
  expect(describeDamage([damaged(4), damaged(4, 'contour')])).toBe(
    '2 parts of the layers of this image are truncated or damaged in their file',
  );
});
