import { expect, test } from 'vitest';
import type { BlendStep } from '../../../../shared/blendSteps.ts';
import { createMixGroup } from './blendedField.ts';
import { mixFields, type MixedField } from './mixFields.ts';
import type { ShownValues } from './fieldLook.ts';

const EQUAL: BlendStep = { inputs: [1, 2, 3], mode: 'EQUAL', opacity: null, result: null };

function groupOf(steps: readonly BlendStep[]) {
  const input = {
    series_instance_uid: null,
    images: [],
    missing_count: 0,
    opacity: null,
    modality: null,
    windows: [],
    has_palette: false,
    scale: null,
    ranges: null,
  };
  const inputs = [1, 2, 3].map((number) => ({
    ...input,
    number,
    position: number === 1 ? 'UNDERLYING' : 'SUPERIMPOSED',
  }));
  return createMixGroup({
    mode: null,
    steps: [...steps].map((step) => ({ ...step, inputs: [...step.inputs] })),
    inputs,
    registration: null,
    reason: null,
  })!;
}

const RED = 0xff0000ff;
const BLUE = 0xffff0000;

/** Values at two pixels beside each other, in one color. */
function field(values: readonly number[], color: number, place: number, ranges?: readonly ShownValues[]): MixedField {
  return {
    spread: { left: 0, top: 0, width: 2, height: 1, parts: 1, values: Float32Array.from(values) },
    paint: {
      colorMap: 'gray',
      palette: { title: '', colors: Uint32Array.of(color) },
      opacity: 1,
      low: 0,
      high: 1,
      threshold: undefined,
      isWash: true,
      areLines: false,
      levels: [],
      reference: 0,
      line: { slope: 1, intercept: 0 },
    },
    mix: { group: groupOf([EQUAL]), place, ranges },
  };
}

function mixed(fields: readonly MixedField[], steps: readonly BlendStep[]) {
  const { pixels } = mixFields(fields, groupOf(steps))!;
  return [...pixels].map((pixel) => [pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff, pixel >>> 24]);
}

test('each pixel is mixed of the fields that have a value there; the image has the rest', () => {
  // At the first pixel both, a third each: half of red and blue, over a third of the image. At the second red alone.
  expect(mixed([field([1, 1], RED, 0), field([1, NaN], BLUE, 1)], [EQUAL])).toEqual([
    [128, 0, 128, 170],
    [255, 0, 0, 128],
  ]);
  // Which of them is missing does not matter.
  expect(mixed([field([NaN, 1], RED, 0), field([1, NaN], BLUE, 1)], [EQUAL])).toEqual([
    [0, 0, 255, 128],
    [255, 0, 0, 128],
  ]);
});

test('a field over the result of others has its opacity', () => {
  // 0.25 of red over the mean of blue and the image: 0.25, 0.375, 0.375. 0.625 * 255 = 159; red 0.4 and blue 0.6.
  const steps = [
    { inputs: [2, 4], mode: 'FOREGROUND', opacity: 0.25, result: null },
    { inputs: [1, 3], mode: 'EQUAL', opacity: null, result: 4 },
  ];
  expect(mixed([field([1, 1], RED, 0), field([1, NaN], BLUE, 1)], steps)).toEqual([
    [102, 0, 153, 159],
    [255, 0, 0, 64],
  ]);
});

test('values outside of the thresholds are not there', () => {
  const above: ShownValues = { low: 5, high: Infinity, hasEnds: false };
  const between: ShownValues = { low: 1, high: 2, hasEnds: true };
  const fields = [field([2, 3], RED, 0, [above, between]), field([5, 6], BLUE, 1, [above])];
  expect(mixed(fields, [EQUAL])).toEqual([
    [255, 0, 0, 128],
    [0, 0, 255, 128],
  ]);
});
