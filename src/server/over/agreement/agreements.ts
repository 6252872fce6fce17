import type { AgreementErrors, AgreementNumbers } from '../../../shared/contract/comparison.ts';
import { MOST_LABEL_PARTS } from '../../../shared/contract/labels.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { addTo } from '../../../shared/addTo.ts';
import { type OverlapSamples, scoreOverlap } from '../../../shared/overlapScores.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { type Agreement, agreementBytes, measureAgreementTask, tallyOverlapTask } from './agreementTasks.ts';
import type { ComponentRule, FoundComponent } from './countComponents.ts';
import { NUMBERS_OF_SLICE } from './listErrors.ts';
import { type GridSize, isEmptyBox, joinBoxes, type LabelGridSamples, type SampleBox } from './maskPair.ts';
import type { SurfaceRule } from './surfaceDistances.ts';
import { scoreSurfaces } from './surfaceScores.ts';
import { addTally, boxOfLabel, type OverlapTally } from './tallyOverlap.ts';

/** Labels in as many volumes as are needed so that none overlap. */
export type LabelsInSpace = {
  readonly volumes: readonly LabelGridSamples[];
  /** The volume of each label, by its value from 1 on. */
  readonly volumeOf: Uint16Array;
};

export type ToCompare = {
  readonly truth: LabelsInSpace;
  readonly test: LabelsInSpace;
  readonly size: GridSize;
  /** The volume of a sample. */
  readonly sampleMm3: number;
  /** Values of labels. */
  readonly pairs: readonly (readonly [truth: number, test: number])[];
  readonly components: ComponentRule | undefined;
  /** Undefined without distances. */
  readonly surfaces: SurfaceRule | undefined;
  /** Whether slices with errors, and the largest wrong components, are listed. */
  readonly errors?: boolean | undefined;
  readonly held: HeldBytes;
};

/** Memory that is held besides that of the labels. */
export type HeldBytes = {
  readonly bytes: number;
  /** Throws `decode_memory_exceeded` if more is needed. */
  readonly require: (bytes: number) => void;
};

export type ComparedLabels = OverlapSamples & {
  readonly numbers: AgreementNumbers;
  /** Null if they were not asked for. */
  readonly errors: AgreementErrors | null;
};

/** Parts of the slices that are compared at a time. */
const PIECES = 4;
/** A smaller grid is looked at in less time than its parts take to be sent to threads. */
const LEAST_IN_PIECES = 2 ** 20;
/** Samples that are looked at once for each pair of volumes: a core takes some minutes. */
const MOST_TALLIED = 2 ** 36;
/** Samples in the boxes of all pairs. */
const MOST_MEASURED = 2 ** 33;
/** Slices in the boxes of all pairs, which may all be in the answer. */
const MOST_LISTED = 2 ** 17;

/** Memory for a whole grid, if one label is as large. */
export function mostAgreementBytes([columns, rows, slices]: GridSize): number {
  const box: SampleBox = [0, columns - 1, 0, rows - 1, 0, slices - 1];
  return agreementBytes(box) + tallyBytes(MOST_LABEL_PARTS, MOST_LABEL_PARTS);
}

function tallyBytes(truthLabels: number, testLabels: number): number {
  return (PIECES + 1) * (8 * (truthLabels + 1) * (testLabels + 1) + 24 * (truthLabels + testLabels + 2));
}

/** Compares pairs of labels on one grid. The caller holds the memory. */
export async function compareLabels(
  input: ToCompare,
  tasks: TaskRunner,
  { signal, priority }: FrameOptions,
): Promise<readonly ComparedLabels[]> {
  const { components, surfaces, errors = false, size, held, truth, test } = input;
  const talliedBytes = tallyBytes(truth.volumeOf.length, test.volumeOf.length);
  held.require(talliedBytes);
  const known = await tallyPairs(input, tasks, { signal, priority });
  const isMeasured = components !== undefined || surfaces !== undefined || errors;
  if (!isMeasured) return known.map((one) => toCompared(one, input, NOTHING));
  const samples = known.reduce((sum, { box }) => sum + samplesIn(box), 0);
  if (samples > MOST_MEASURED) {
    const message = `${known.length} pairs have ${samples} samples in their boxes, which are too many at once: choose fewer pairs, or numbers=overlap`;
    throw new ViewerError('layer_too_large', message);
  }
  const slices = known.reduce((sum, { box }) => sum + (isEmptyBox(box) ? 0 : box[5] - box[4] + 1), 0);
  if (errors && slices > MOST_LISTED) {
    const message = `${known.length} pairs have ${slices} slices, which are too many to be listed: choose fewer pairs, or errors=none`;
    throw new ViewerError('layer_too_large', message);
  }
  const bytes = known.map(({ box }) => (isEmptyBox(box) ? 0 : agreementBytes(box))).toSorted((a, b) => b - a);
  const bytesOf = (lanes: number) => talliedBytes + bytes.slice(0, lanes).reduce((sum, one) => sum + one, 0);
  held.require(bytesOf(1));
  const lanes = [4, 3, 2].find((count) => bytesOf(count) <= held.bytes) ?? 1;
  const measure = async (one: KnownPair) => {
    if (isEmptyBox(one.box)) return toCompared(one, input, NOTHING);
    const [a, b] = one.pair;
    const masks = { truth: maskOf(truth, a), test: maskOf(test, b), size, box: one.box };
    return toCompared(
      one,
      input,
      await tasks.run(measureAgreementTask, { ...masks, components, surfaces, errors }, { signal, priority }),
    );
  };
  return mapInLanes(known, measure, lanes);
}

type KnownPair = OverlapSamples & { readonly pair: readonly [number, number]; readonly box: SampleBox };

const NOTHING: Agreement = { components: undefined, surfaces: undefined, errors: undefined };

function maskOf({ volumes, volumeOf }: LabelsInSpace, value: number) {
  return { samples: volumes[volumeOf[value]!]!, value };
}

function samplesIn(box: SampleBox): number {
  const [a, b, c, d, e, f] = box;
  return isEmptyBox(box) ? 0 : (b - a + 1) * (d - c + 1) * (f - e + 1);
}

/** Looks once at each pair of volumes that has a pair of labels. */
async function tallyPairs(input: ToCompare, tasks: TaskRunner, options: FrameOptions): Promise<readonly KnownPair[]> {
  const { pairs, truth, test, size } = input;
  const together = new Map<string, number[]>();
  for (const [at, [a, b]] of pairs.entries()) addTo(together, `${truth.volumeOf[a]} ${test.volumeOf[b]}`, at);
  const [columns, rows, slices] = size;
  if (together.size * columns * rows * slices > MOST_TALLIED) {
    throw new ViewerError('layer_too_large', 'too many parts lie over each other: choose fewer pairs');
  }
  const [mostTruth, mostTest] = [truth.volumeOf.length - 1, test.volumeOf.length - 1];
  const pieces = columns * rows * slices < LEAST_IN_PIECES ? 1 : PIECES;
  const ends = Array.from({ length: pieces + 1 }, (_, at) => Math.round((at * slices) / pieces));
  const ranges = ends.slice(1).map((endSlice, at) => ({ firstSlice: ends[at]!, endSlice }));
  const known: KnownPair[] = [];
  for (const places of together.values()) {
    const [first, second] = pairs[places[0]!]!;
    const samples = { truth: maskOf(truth, first).samples, test: maskOf(test, second).samples };
    const common = { ...samples, columns, rows, mostTruth, mostTest };
    const [sum, ...others] = await mapInLanes(ranges, (range) =>
      tasks.run(tallyOverlapTask, { ...common, ...range }, options),
    );
    for (const other of others) addTally(sum!, other);
    for (const at of places) known[at] = readTally(sum!, pairs[at]!, mostTruth, mostTest);
  }
  return known;
}

function readTally(
  { counts, truthBoxes, testBoxes }: OverlapTally,
  pair: readonly [number, number],
  mostTruth: number,
  mostTest: number,
): KnownPair {
  const [a, b] = pair;
  const count = (one: number, other: number) => counts[one * (mostTest + 1) + other]!;
  let [truth, test] = [0, 0];
  for (let other = 0; other <= mostTest; other += 1) truth += count(a, other);
  for (let one = 0; one <= mostTruth; one += 1) test += count(one, b);
  return { truth, test, both: count(a, b), pair, box: joinBoxes(boxOfLabel(truthBoxes, a), boxOfLabel(testBoxes, b)) };
}

function toCompared(
  { truth, test, both, box }: KnownPair,
  input: ToCompare,
  { components, surfaces, errors }: Agreement,
): ComparedLabels {
  const scores = surfaces && scoreSurfaces(surfaces);
  const isMeasured = input.surfaces !== undefined;
  // Surfaces of nothing agree with each other, and with no other.
  const surfaceDice = truth === 0 && test === 0 ? 1 : truth === 0 || test === 0 ? 0 : null;
  const none = { truth: 0, found: 0, missed: 0, test: 0, false: 0 };
  return {
    truth,
    test,
    both,
    numbers: {
      ...scoreOverlap({ truth, test, both }),
      volume_difference_ml: ((test - truth) * input.sampleMm3) / MM3_PER_ML,
      hd_mm: scores?.hdMm ?? null,
      hd95_mm: scores?.hd95Mm ?? null,
      assd_mm: scores?.meanMm ?? null,
      mean_truth_to_test_mm: surfaces?.truthToTest.meanMm ?? null,
      mean_test_to_truth_mm: surfaces?.testToTruth.meanMm ?? null,
      nsd: scores?.surfaceDice ?? (isMeasured ? surfaceDice : null),
      components: components?.counts ?? (input.components !== undefined && truth + test === 0 ? none : null),
    },
    errors:
      input.errors === true
        ? {
            slices: listSlices(errors ?? new Int32Array(0), box),
            largest_false: toSample(components?.largestFalse, box),
            largest_missed: toSample(components?.largestMissed, box),
          }
        : null,
  };
}

/** The slices with errors, counted in the whole grid. */
function listSlices(numbers: Int32Array, [left, , top, , first]: SampleBox): AgreementErrors['slices'] {
  return Array.from({ length: numbers.length / NUMBERS_OF_SLICE }, (_, at) => {
    const [slice = 0, falsePositive = 0, falseNegative = 0, column = 0, row = 0] = numbers.subarray(
      NUMBERS_OF_SLICE * at,
    );
    return {
      slice: first + slice,
      false_positive: falsePositive,
      false_negative: falseNegative,
      column: left + column,
      row: top + row,
    };
  });
}

function toSample(found: FoundComponent | undefined, [left, , top, , first]: SampleBox) {
  if (found === undefined) return null;
  return {
    samples: found.samples,
    slice: first + found.slice,
    column: left + found.column,
    row: top + found.row,
  };
}

export const MM3_PER_ML = 1_000;
