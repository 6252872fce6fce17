import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { countComponents } from '../../src/server/over/agreement/countComponents.ts';
import { cutMaskPair, isEmptyBox, joinBoxes } from '../../src/server/over/agreement/maskPair.ts';
import { measureSurfaces, type SurfaceDistances } from '../../src/server/over/agreement/surfaceDistances.ts';
import { boxOfLabel, tallyOverlap } from '../../src/server/over/agreement/tallyOverlap.ts';
import { scoreOverlap } from '../../src/shared/overlapScores.ts';
import { scoreSurfaces } from '../../src/server/over/agreement/surfaceScores.ts';

type Three = readonly [number, number, number];
type Counts = readonly [all: number, meeting: number, halfInside: number];
type Recorded = {
  readonly size: Three;
  readonly spacing: Three;
  readonly tolerance: number;
  readonly masks: string;
  readonly overlap: readonly (number | null)[];
  readonly surface: readonly (number | null)[];
  readonly components: Readonly<Record<'6' | '18' | '26', readonly [truth: Counts, test: Counts]>>;
};

/** By SimpleITK, surface-distance and scipy: makePairs.py. */
const { pairs }: { readonly pairs: readonly Recorded[] } = JSON.parse(
  readFileSync(new URL('pairs.json', import.meta.url), 'utf8'),
);

function readPair({ size, masks }: Recorded) {
  const both = inflateSync(Buffer.from(masks, 'base64'));
  const truth = Uint8Array.from(both, (bits) => bits & 1);
  const other = Uint8Array.from(both, (bits) => bits >> 1);
  const [columns, rows, slices] = size;
  const input = { truth, test: other, columns, rows, mostTruth: 1, mostTest: 1 };
  const tally = tallyOverlap({ ...input, firstSlice: 0, endSlice: slices });
  const box = joinBoxes(boxOfLabel(tally.truthBoxes, 1), boxOfLabel(tally.testBoxes, 1));
  const sources = { truth: { samples: truth, value: 1 }, test: { samples: other, value: 1 } };
  return { ...sources, size, box, tally };
}

const NUMBERED = pairs.map((pair, at) => ({
  at,
  size: pair.size.join(' x '),
  spacing: pair.spacing.join(' x '),
  pair,
}));

test('there are 200 pairs, among them empty masks and masks of one voxel', () => {
  const counts = pairs.map((pair) => readPair(pair).tally.counts);
  expect(pairs).toHaveLength(200);
  expect(counts.filter((count) => count[1] === 0 && count[2] === 0 && count[3] === 0).length).toBeGreaterThan(0);
  const ofTruth = counts.map(([, , only = 0, both = 0]) => only + both);
  expect(ofTruth.filter((samples) => samples === 1).length).toBeGreaterThan(10);
});

type Compared = readonly [what: string, found: number, recorded: number | null | undefined, tolerance: number];

/** What differs by more than the tolerance. Nothing is recorded of what cannot be divided. */
function findDifferent(compared: readonly Compared[]): readonly Compared[] {
  return compared.filter(
    ([, found, recorded, tolerance]) => recorded !== null && !(Math.abs(found - (recorded ?? NaN)) <= tolerance),
  );
}

describe('pairs of masks agree as far as SimpleITK, surface-distance and scipy say', () => {
  test.each(NUMBERED)('pair $at of $size voxels of $spacing mm', ({ pair }) => {
    const { tally, ...cut } = readPair(pair);
    const [, onlyTest = 0, onlyTruth = 0, both = 0] = tally.counts;
    const samples = { truth: onlyTruth + both, test: onlyTest + both, both };
    const { dice, iou, precision, recall } = scoreOverlap(samples);
    // SimpleITK has 0 for labels that are nowhere.
    const ofEmpty = samples.truth + samples.test === 0 ? null : undefined;
    const [recordedDice, jaccard, falseNegative, falsePositive] = pair.overlap.map((one) => ofEmpty ?? one);
    const outside = pair.size[0] * pair.size[1] * pair.size[2] - samples.truth;
    expect(
      findDifferent([
        ['Dice', dice, ofEmpty === null ? 1 : recordedDice, 1e-6],
        ['Jaccard', iou, ofEmpty === null ? 1 : jaccard, 1e-6],
        ['false negative error', 1 - recall, samples.truth === 0 ? null : falseNegative, 1e-6],
        // The part of all other voxels that the test has.
        ['false positive error', onlyTest / outside, outside === 0 ? null : falsePositive, 1e-6],
        [
          'Dice of precision and recall',
          (2 * precision * recall) / (precision + recall),
          both === 0 ? null : dice,
          1e-6,
        ],
      ]),
    ).toEqual([]);

    const masks = cutMaskPair(isEmptyBox(cut.box) ? { ...cut, box: [0, 0, 0, 0, 0, 0] } : cut);
    for (const connectivity of [6, 18, 26] as const) {
      const [ofTruth, ofTest] = pair.components[`${connectivity}`];
      const count = (overlap: number) => countComponents(masks, { connectivity, overlap })?.counts;
      const expected = (column: 1 | 2) => ({
        truth: ofTruth[0],
        found: ofTruth[column],
        missed: ofTruth[0] - ofTruth[column],
        test: ofTest[0],
        false: ofTest[0] - ofTest[column],
      });
      expect([count(0), count(0.5)]).toEqual([expected(1), expected(2)]);
    }
  });
});

const WITH_SURFACES = NUMBERED.filter(({ pair }) => pair.surface[2] !== null && pair.surface[3] !== null);

describe('surfaces are as far apart as surface-distance says', () => {
  test.each(WITH_SURFACES)('pair $at of $size voxels of $spacing mm', ({ pair }) => {
    const masks = cutMaskPair(readPair(pair));
    const rule = { spacingMm: pair.spacing, toleranceMm: pair.tolerance };
    const [truthArea, testArea, there, back, robust, largest, surfaceDice] = pair.surface;
    const compare = (found: SurfaceDistances): readonly Compared[] => {
      const scores = scoreSurfaces(found);
      return [
        ['area of the truth', found.truthToTest.areaMm2, truthArea, 1e-4],
        ['area of the test', found.testToTruth.areaMm2, testArea, 1e-4],
        ['mean distance to the test', found.truthToTest.meanMm, there, 1e-4],
        ['mean distance to the truth', found.testToTruth.meanMm, back, 1e-4],
        ['HD95', scores.hd95Mm, robust, 1e-4],
        ['HD', scores.hdMm, largest, 1e-4],
        ['surface Dice', scores.surfaceDice, surfaceDice, 1e-4],
      ];
    };
    expect(findDifferent(compare(measureSurfaces(masks, rule)!))).toEqual([]);
    // The same if distances are not kept.
    expect(findDifferent(compare(measureSurfaces(masks, { ...rule, mostKept: 3 })!))).toEqual([]);
  });
});

test('there are no distances if one of the masks is empty', () => {
  const empty = NUMBERED.filter(({ pair }) => pair.surface[2] === null || pair.surface[3] === null);
  const found = empty.map(({ pair }) => {
    const cut = readPair(pair);
    const masks = cutMaskPair(isEmptyBox(cut.box) ? { ...cut, box: [0, 0, 0, 0, 0, 0] } : cut);
    return measureSurfaces(masks, { spacingMm: pair.spacing, toleranceMm: 1 });
  });
  expect(new Set(found)).toEqual(new Set([undefined]));
});
