import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { LabelGridSamples, SampleBox } from './maskPair.ts';

export type OverlapInput = {
  readonly truth: LabelGridSamples;
  readonly test: LabelGridSamples;
  readonly columns: number;
  readonly rows: number;
  /** The slices to look at. */
  readonly firstSlice: number;
  readonly endSlice: number;
  /** The largest value in each. */
  readonly mostTruth: number;
  readonly mostTest: number;
};

/** How often each pair of labels meets, and where each label is. */
export type OverlapTally = {
  /** Samples with label a of the truth and b of the test, at `a * (mostTest + 1) + b`. Those with neither are not counted. */
  readonly counts: Float64Array<ArrayBuffer>;
  /** The boxes around the labels, six numbers each, by value. */
  readonly truthBoxes: Int32Array<ArrayBuffer>;
  readonly testBoxes: Int32Array<ArrayBuffer>;
};

/** Compares two label volumes sample by sample. Larger values than the largest are ignored. */
export function tallyOverlap(input: OverlapInput, throwIfCancelled: () => void = () => undefined): OverlapTally {
  const { truth, test, columns, rows, firstSlice, endSlice, mostTruth, mostTest } = input;
  const tally = {
    counts: new Float64Array((mostTruth + 1) * (mostTest + 1)),
    truthBoxes: emptyBoxes(mostTruth + 1),
    testBoxes: emptyBoxes(mostTest + 1),
  };
  const { counts, truthBoxes, testBoxes } = tally;
  const [truthWords, testWords] = [wordsOf(truth), wordsOf(test)];
  const shift = truth.BYTES_PER_ELEMENT === 1 ? 2 : 1;
  const isInWords =
    truthWords !== undefined && testWords !== undefined && truth.BYTES_PER_ELEMENT === test.BYTES_PER_ELEMENT;
  const step = 1 << shift;
  const slice = rows * columns;
  for (let z = firstSlice; z < endSlice; z += 1) {
    throwIfCancelled();
    const end = (z + 1) * slice;
    for (let at = z * slice; at < end;) {
      const a = truth[at]!;
      const b = test[at]!;
      if (a === 0 && b === 0) {
        at += 1;
        if (!isInWords) continue;
        // Most of a volume is background, which is passed several samples at a time.
        while ((at & (step - 1)) === 0 && at < end && truthWords[at >> shift] === 0 && testWords[at >> shift] === 0) {
          at += step;
        }
        continue;
      }
      const y = Math.floor((at - z * slice) / columns);
      const rowStart = z * slice + y * columns;
      const rowEnd = rowStart + columns;
      const first = at;
      do at += 1;
      while (at < rowEnd && truth[at] === a && test[at] === b);
      if (a > mostTruth || b > mostTest) continue;
      counts[a * (mostTest + 1) + b]! += at - first;
      if (a !== 0) widen(truthBoxes, 6 * a, first - rowStart, at - 1 - rowStart, y, z);
      if (b !== 0) widen(testBoxes, 6 * b, first - rowStart, at - 1 - rowStart, y, z);
    }
  }
  return tally;
}

/** Implements `tallyOverlapTask`. */
export function tallyOverlapApart(
  input: OverlapInput,
  { throwIfCancelled, transfer }: Pick<TaskContext, 'throwIfCancelled' | 'transfer'>,
): OverlapTally {
  const { counts, truthBoxes, testBoxes } = tallyOverlap(input, throwIfCancelled);
  return { counts: transfer(counts), truthBoxes: transfer(truthBoxes), testBoxes: transfer(testBoxes) };
}

/** Adds what was found in other slices. */
export function addTally(sum: OverlapTally, { counts, truthBoxes, testBoxes }: OverlapTally): void {
  for (let at = 0; at < counts.length; at += 1) sum.counts[at]! += counts[at]!;
  for (const [into, from] of [
    [sum.truthBoxes, truthBoxes],
    [sum.testBoxes, testBoxes],
  ] as const) {
    for (let at = 0; at < from.length; at += 6) {
      if (from[at]! > from[at + 1]!) continue;
      for (let axis = 0; axis < 6; axis += 2) {
        into[at + axis] = Math.min(into[at + axis]!, from[at + axis]!);
        into[at + axis + 1] = Math.max(into[at + axis + 1]!, from[at + axis + 1]!);
      }
    }
  }
}

export function boxOfLabel(boxes: Int32Array, label: number): SampleBox {
  const [a = 1, b = 0, c = 1, d = 0, e = 1, f = 0] = boxes.subarray(6 * label, 6 * label + 6);
  return [a, b, c, d, e, f];
}

const NOWHERE = 2 ** 31 - 1;

function emptyBoxes(labels: number): Int32Array<ArrayBuffer> {
  return Int32Array.from({ length: 6 * labels }, (_, at) => (at % 2 === 0 ? NOWHERE : -1));
}

function widen(boxes: Int32Array, at: number, first: number, last: number, y: number, z: number): void {
  if (first < boxes[at]!) boxes[at] = first;
  if (last > boxes[at + 1]!) boxes[at + 1] = last;
  if (y < boxes[at + 2]!) boxes[at + 2] = y;
  if (y > boxes[at + 3]!) boxes[at + 3] = y;
  if (z < boxes[at + 4]!) boxes[at + 4] = z;
  if (z > boxes[at + 5]!) boxes[at + 5] = z;
}

/** Four bytes at a time, of all that are there; undefined if they do not begin at a word. */
function wordsOf({ buffer, byteOffset, byteLength }: LabelGridSamples): Uint32Array | undefined {
  return byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, byteLength >> 2) : undefined;
}
