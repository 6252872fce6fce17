import { expect, test } from 'vitest';
import { addTally, boxOfLabel, tallyOverlap } from './tallyOverlap.ts';

const [columns, rows, slices] = [13, 7, 5];

/** Mostly background, so that it is passed several samples at a time. */
function writeLabels<Labels extends Uint8Array | Uint16Array>(labels: Labels, seed: number): Labels {
  let state = seed;
  for (let at = 0; at < labels.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    labels[at] = state % 7 === 0 ? 1 + (Math.floor(state / 7) % 3) : 0;
  }
  return labels;
}

function countOneByOne(truth: ArrayLike<number>, other: ArrayLike<number>): number[] {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let at = 0; at < truth.length; at += 1) counts[4 * truth[at]! + other[at]!]! += 1;
  counts[0] = 0;
  return counts;
}

const length = columns * rows * slices;

test.each([
  ['bytes', new Uint8Array(length), new Uint8Array(length)],
  ['16 bits', new Uint16Array(length), new Uint16Array(length)],
  ['bytes and 16 bits', new Uint8Array(length), new Uint16Array(length)],
  ['bytes that begin between words', new Uint8Array(new ArrayBuffer(length + 1), 1), new Uint8Array(length)],
])('labels of %s are counted as one by one, also in parts', (_, emptyTruth, emptyTest) => {
  const truth = writeLabels(emptyTruth, 5);
  const other = writeLabels(emptyTest, 11);
  const input = { truth, test: other, columns, rows, mostTruth: 3, mostTest: 3 };
  const tally = tallyOverlap({ ...input, firstSlice: 0, endSlice: 2 });
  addTally(tally, tallyOverlap({ ...input, firstSlice: 2, endSlice: slices }));
  expect([...tally.counts]).toEqual(countOneByOne(truth, other));
});

test('the box around a label has its first and last column, row and slice', () => {
  const truth = new Uint8Array(length);
  // Column 4, row 2, slice 1, and column 12, row 3, slice 4.
  truth[(rows + 2) * columns + 4] = 2;
  truth[(4 * rows + 3) * columns + 12] = 2;
  const input = { truth, test: new Uint8Array(length), columns, rows, firstSlice: 0, endSlice: slices };
  const { truthBoxes, counts } = tallyOverlap({ ...input, mostTruth: 2, mostTest: 0 });
  expect(boxOfLabel(truthBoxes, 2)).toEqual([4, 12, 2, 3, 1, 4]);
  expect([...counts]).toEqual([0, 0, 2]);
});
