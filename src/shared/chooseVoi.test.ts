import { describe, expect, test } from 'vitest';
import { chooseVoi, type DeclaredVoi } from './chooseVoi.ts';
import { toGray } from './grayTable.ts';
import { NO_RESCALE } from './modality.ts';

const none: DeclaredVoi = { windows: [], shape: undefined, tables: [] };
const table = { firstValue: 0, entries: Uint16Array.of(0, 65_535), bits: 16 };
const ct: DeclaredVoi = {
  windows: [
    { center: 40, width: 400 },
    { center: -600, width: 1500 },
  ],
  shape: undefined,
  tables: [table],
};
const oneToHundred = {
  samples: Uint16Array.from({ length: 100 }, (_, i) => i + 1),
  modality: NO_RESCALE,
  padding: undefined,
};

describe('the order of windows', () => {
  test('full dynamic takes precedence over everything', () => {
    // Black at 1 and white at 100: LINEAR reaches them at center - 0.5 ± (width - 1) / 2.
    expect(chooseVoi({ kind: 'full_dynamic' }, ct, oneToHundred)).toEqual(windowOf(51, 100, 'LINEAR'));
  });

  test('the explicit window takes precedence over the declared one', () => {
    expect(chooseVoi({ kind: 'explicit', center: 7, width: 9 }, ct, oneToHundred)).toEqual(windowOf(7, 9, 'LINEAR'));
  });

  test.each([
    [undefined, 40, 400],
    [0, 40, 400],
    [1, -600, 1500],
    [2, 40, 400],
  ])('the declared window %s is %i, %i', (index, center, width) => {
    const choice = index === undefined ? ({ kind: 'default' } as const) : ({ kind: 'default', index } as const);
    expect(chooseVoi(choice, ct, oneToHundred)).toEqual(windowOf(center, width, 'LINEAR'));
  });

  test('a VOI LUT is used if no window is declared', () => {
    expect(chooseVoi({ kind: 'default' }, { ...ct, windows: [] }, oneToHundred)).toEqual({ kind: 'lut', table });
  });

  test('the 1st to 99th percentile comes last', () => {
    // The 1st and 99th percentiles of 1 to 100 are 1 and 99.
    expect(chooseVoi({ kind: 'default' }, none, oneToHundred)).toEqual(windowOf(50.5, 99, 'LINEAR'));
  });
});

test.each([
  { center: 40, width: 0 },
  { center: 40, width: -5 },
  { center: NaN, width: 5 },
  { center: 40, width: Infinity },
])('a declared window of $center, $width is skipped', (broken) => {
  const declared = { ...ct, windows: [broken, { center: 1, width: 2 }] };
  expect(chooseVoi({ kind: 'default' }, declared, oneToHundred)).toEqual(windowOf(1, 2, 'LINEAR'));
});

test('the pixels of a sparse mask are visible', () => {
  const samples = new Uint8Array(1000).fill(1, 0, 3);
  // 0 is black, 1 is white.
  expect(chooseVoi({ kind: 'default' }, none, { ...oneToHundred, samples })).toEqual(windowOf(1, 2, 'LINEAR'));
});

describe('the shape', () => {
  test('of an explicit window is that of the file', () => {
    const voi = chooseVoi({ kind: 'explicit', center: 7, width: 9 }, { ...none, shape: 'SIGMOID' }, oneToHundred);
    expect(voi).toEqual(windowOf(7, 9, 'SIGMOID'));
  });

  test('of a window that is too narrow for LINEAR is LINEAR_EXACT', () => {
    const voi = chooseVoi({ kind: 'explicit', center: 7, width: 0.5 }, none, oneToHundred);
    expect(voi).toEqual(windowOf(7, 0.5, 'LINEAR_EXACT'));
  });

  test('for float samples is LINEAR_EXACT unless the file declares another', () => {
    const floats = { ...oneToHundred, samples: Float32Array.of(0, 0.5) };
    const linear: DeclaredVoi = { ...none, shape: 'LINEAR' };
    expect(chooseVoi({ kind: 'full_dynamic' }, none, floats)).toEqual(windowOf(0.25, 0.5, 'LINEAR_EXACT'));
    expect(chooseVoi({ kind: 'explicit', center: 1, width: 300 }, none, floats)).toEqual(
      windowOf(1, 300, 'LINEAR_EXACT'),
    );
    expect(chooseVoi({ kind: 'explicit', center: 1, width: 300 }, linear, floats)).toEqual(windowOf(1, 300, 'LINEAR'));
  });

  test.each([
    ['floats', { ...oneToHundred, samples: Float32Array.of(0, 0.25, 0.5, 0.75, 1) }],
    [
      'a rescale by thousandths',
      {
        ...oneToHundred,
        samples: Uint16Array.of(0, 250, 500, 750, 1000),
        modality: { kind: 'rescale', slope: 0.001, intercept: 0 } as const,
      },
    ],
  ])('of a narrow window over %s is LINEAR_EXACT, whatever is declared', (_, frame) => {
    const map: DeclaredVoi = { windows: [{ center: 0.5, width: 1 }], shape: 'LINEAR', tables: [] };
    const voi = chooseVoi({ kind: 'default' }, map, frame);
    expect(voi).toEqual(windowOf(0.5, 1, 'LINEAR_EXACT'));
    // With LINEAR, the width would be 1 - 1 and all values above 0 white. These are 255 times 0, 1/4, 1/2, 3/4 and 1.
    const levels = Array.from(frame.samples, (sample) =>
      toGray(sample, { modality: frame.modality, voi, padding: undefined, inverted: false }),
    );
    expect(levels).toEqual([0, 64, 128, 191, 255]);
    expect(chooseVoi({ kind: 'full_dynamic' }, map, frame)).toEqual(windowOf(0.5, 1, 'LINEAR_EXACT'));
  });

  /**
   * Results of pydicom 3.0.2 (apply_windowing) and highdicom 0.28.2 (apply_voi_window) for the values 0, 1/4, 1/2, 3/4
   * and 1 of a float map, from 0 to 255. Both agree for LINEAR_EXACT and SIGMOID. With LINEAR, a width of 1 gives two
   * levels in pydicom (0 and 255) and NaN for the first value in highdicom; a width of 1/2 is an error in pydicom and
   * an inverted picture in highdicom; a width of 2 gives 127.5, 191.25, 255, 255, 255 in both. Only LINEAR_EXACT gives
   * a readable picture, so it is also used if LINEAR is declared.
   */
  test.each([
    ['LINEAR_EXACT', 1, [0, 63.75, 127.5, 191.25, 255]],
    ['LINEAR_EXACT', 0.5, [0, 0, 127.5, 255, 255]],
    ['LINEAR_EXACT', 2, [63.75, 95.625, 127.5, 159.375, 191.25]],
    ['SIGMOID', 1, [30.4, 68.58, 127.5, 186.42, 224.6]],
    ['SIGMOID', 0.5, [4.59, 30.4, 127.5, 224.6, 250.41]],
    ['SIGMOID', 2, [68.58, 96.27, 127.5, 158.73, 186.42]],
    ['LINEAR', 1, [0, 63.75, 127.5, 191.25, 255]],
    ['LINEAR', 0.5, [0, 0, 127.5, 255, 255]],
    ['LINEAR', 2, [63.75, 95.625, 127.5, 159.375, 191.25]],
  ] as const)('of a float map by %s with a width of %d gives the levels of other tools', (shape, width, levels) => {
    const samples = Float32Array.of(0, 0.25, 0.5, 0.75, 1);
    const declared: DeclaredVoi = { windows: [{ center: 0.5, width }], shape, tables: [] };
    const voi = chooseVoi({ kind: 'default' }, declared, { ...oneToHundred, samples });
    const drawn = Array.from(samples, (sample) =>
      toGray(sample, { modality: NO_RESCALE, voi, padding: undefined, inverted: false }),
    );
    // A level half-way between two gray levels may be rounded either way.
    expect(drawn.every((level, i) => Math.abs(level - levels[i]!) <= 0.51)).toBe(true);
  });

  test('of the percentile window is the same if it is requested by its numbers', () => {
    const fine = { ...oneToHundred, modality: { kind: 'rescale', slope: 2.55, intercept: 0 } as const };
    for (const slope of [0.001, 2.55, 2.65, 40.5]) {
      const frame = { ...fine, modality: { ...fine.modality, slope } };
      const found = chooseVoi({ kind: 'default' }, none, frame);
      if (found.kind !== 'window') throw new Error('not a window');
      expect(chooseVoi({ kind: 'explicit', ...found.window }, none, frame)).toEqual(found);
    }
  });

  test('of full dynamic is never SIGMOID, which has no ends', () => {
    const voi = chooseVoi({ kind: 'full_dynamic' }, { ...none, shape: 'SIGMOID' }, oneToHundred);
    expect(voi).toEqual(windowOf(50.5, 99, 'LINEAR_EXACT'));
  });
});

function windowOf(center: number, width: number, shape: string) {
  return { kind: 'window', window: { center, width, shape } };
}
