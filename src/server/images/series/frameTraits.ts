import type { DataSet } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';

/** Properties of the frames of a file or stack that distinguish it from other stacks. */
export type FrameTraits = {
  readonly echoTimeMs: ValueSpan | undefined;
  readonly bValue: ValueSpan | undefined;
  readonly phase: ValueSpan | undefined;
};

/** The values of all frames. */
export type ValueSpan = {
  readonly low: number;
  readonly high: number;
  /** The distinct values, ascending; undefined if there are too many to list. */
  readonly values: readonly number[] | undefined;
};

const MOST_LISTED = 4;

/** Elements of the functional groups that hold the traits. */
export const TRAIT_TAGS = [
  Tag.MREchoSequence,
  Tag.EffectiveEchoTime,
  Tag.MRDiffusionSequence,
  Tag.DiffusionBValue,
  Tag.CardiacSynchronizationSequence,
  Tag.NominalCardiacTriggerDelayTime,
  Tag.FrameContentSequence,
  Tag.TemporalPositionIndex,
];

/** Takes the functional groups of the frames, one frame at a time. */
export function createTraitReader() {
  let traits: FrameTraits = { echoTimeMs: undefined, bValue: undefined, phase: undefined };
  return {
    take(own: DataSet, shared: DataSet | undefined): void {
      const find = (sequence: number, tag: number) =>
        own.items(sequence)[0]?.number(tag) ?? shared?.items(sequence)[0]?.number(tag);
      const phase =
        find(Tag.FrameContentSequence, Tag.TemporalPositionIndex) ??
        find(Tag.CardiacSynchronizationSequence, Tag.NominalCardiacTriggerDelayTime);
      traits = joinTraits(traits, {
        echoTimeMs: toSpan(find(Tag.MREchoSequence, Tag.EffectiveEchoTime)),
        bValue: toSpan(find(Tag.MRDiffusionSequence, Tag.DiffusionBValue)),
        phase: toSpan(phase),
      });
    },
    traits: () => traits,
  };
}

export function joinTraits(a: FrameTraits, b: FrameTraits): FrameTraits {
  return {
    echoTimeMs: joinSpans(a.echoTimeMs, b.echoTimeMs),
    bValue: joinSpans(a.bValue, b.bValue),
    phase: joinSpans(a.phase, b.phase),
  };
}

/** `0, 400, 800`, or `0 to 3000` if there are many. */
export function describeSpan(span: ValueSpan | undefined): string | undefined {
  if (span === undefined) return undefined;
  return span.values?.join(', ') ?? `${span.low} to ${span.high}`;
}

function toSpan(value: number | undefined): ValueSpan | undefined {
  return value === undefined ? undefined : { low: value, high: value, values: [value] };
}

function joinSpans(a: ValueSpan | undefined, b: ValueSpan | undefined): ValueSpan | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (isWithin(b, a)) return a;
  const values = a.values && b.values && [...new Set([...a.values, ...b.values])].toSorted((x, y) => x - y);
  return {
    low: Math.min(a.low, b.low),
    high: Math.max(a.high, b.high),
    values: values !== undefined && values.length <= MOST_LISTED ? values : undefined,
  };
}

/** Fast path: most frames repeat the values of previous frames. */
function isWithin({ low, high, values }: ValueSpan, other: ValueSpan): boolean {
  if (other.values === undefined) return low >= other.low && high <= other.high;
  return values?.every((value) => other.values?.includes(value)) ?? false;
}
