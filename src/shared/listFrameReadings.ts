import type { RealWorldValues, Suv, ValueMappingResponse } from './contract/valueMapping.ts';
import { createReading, listReadings, type Reading, type ReadingChoice } from './valueMapping.ts';

/** What is known about the values of one frame. */
export type FrameValues = {
  readonly mapping: DeclaredValues;
  /** Modality (0008,0060) of the file. */
  readonly modality: string;
};

export type DeclaredValues = Pick<ValueMappingResponse, 'modality' | 'real_world' | 'pet'>;

/** One way to interpret the stored values of a frame. */
export type NamedReading = {
  /** The same in all frames that are interpreted in the same way. */
  readonly id: string;
  readonly kind: ReadingChoice['kind'] | 'suv';
  /** Of a real-world mapping: its place in `real_world`. */
  readonly index?: number | undefined;
  readonly title: string;
  readonly reading: Reading;
  /** File index of the Real World Value Mapping object that declares it. */
  readonly sourceFileIndex: number | undefined;
  /** Whether the same function of modality values makes it in all frames of the stack. */
  readonly isOfAllFrames: boolean;
  /** A reading that contradicts it: in the same unit with other values, or one that is not of all slices. */
  readonly rival?: NamedReading | undefined;
};

/**
 * In order of preference: what the file or another one declares, then what is derived from it, then the stored values.
 * The first one is the quantity of the whole stack: on its images and planes, in marks, statistics and exports.
 * A declared reading comes after those that the image's own rescale gives if it ignores that rescale: by a difference
 * from image to image, or from a reading in the same unit. So does one that an image of the volume lacks.
 */
export function listFrameReadings({ mapping, modality }: FrameValues): NamedReading[] {
  const { pet } = mapping;
  const context = { modality, petUnits: pet?.units ?? undefined };
  const readings = listReadings(mapping, context).map((choice) => ({
    id: choice.kind === 'real_world' ? `real_world/${choice.index}` : choice.kind,
    ...choice,
    title: titleOf(mapping, choice),
    reading: createReading(mapping, choice, context),
    sourceFileIndex: sourceOf(mapping, choice),
    isOfAllFrames: isSameInAll(mapping, choice),
  }));
  const suv =
    pet === null ? undefined : createSuvReading(pet.suv, createReading(mapping, { kind: 'modality' }, context));
  const declared = readings.slice(0, mapping.real_world.length);
  const own: NamedReading[] = readings.slice(mapping.real_world.length);
  if (suv !== undefined) {
    const named = { id: 'suv', kind: 'suv', title: TITLES.suv } as const;
    own.unshift({ ...named, reading: suv, sourceFileIndex: undefined, isOfAllFrames: true });
  }
  return settleRivals(mapping, declared, own);
}

/** What somebody who uses the values must know, whichever reading is chosen. */
export function listCaveats(readings: readonly NamedReading[], mapping: DeclaredValues): string[] {
  return readings.flatMap(({ index, title, reading: { unit }, rival }) => {
    if (index === undefined || rival === undefined) return [];
    const named = `the mapping “${title}”${unit === '' ? '' : ` to ${unit}`}`;
    const { in_stack: known } = mapping.real_world[index] ?? {};
    return known === 'ignores_rescale' || known === 'missing'
      ? [`${named} ${WHY_NOT[known]}`]
      : [`${named} gives other values than “${rival.title}”, by the rescale of the image and its header`];
  });
}

/** Why a mapping is not the quantity of a stack. */
const WHY_NOT = {
  ignores_rescale: 'ignores that the rescale differs from slice to slice, so it contradicts the images',
  missing: 'is not in all images of the volume, which have one unit',
} as const;

function isSameInAll(mapping: DeclaredValues, choice: ReadingChoice): boolean {
  if (choice.kind !== 'real_world') return choice.kind === 'modality';
  return mapping.real_world[choice.index]?.in_stack === 'same';
}

/** Readings in the same unit are considered equal up to this relative difference. */
const SAME_WITHIN = 0.01;

function settleRivals(
  mapping: DeclaredValues,
  declared: readonly NamedReading[],
  own: readonly NamedReading[],
): NamedReading[] {
  const rivals = declared.map((each, index) => {
    const { in_stack: known } = mapping.real_world[index] ?? {};
    if (known === 'ignores_rescale' || known === 'missing') return own[0];
    const unit = unitOf(mapping.real_world[index], each.reading);
    return own.find(({ id, reading }) => {
      return (
        id !== 'stored' && unit !== '' && reading.unit === unit && findDifference(each.reading, reading) > SAME_WITHIN
      );
    });
  });
  const agreeing = declared.filter((_, i) => rivals[i] === undefined);
  const contradicting = declared.flatMap((each, i) => (rivals[i] === undefined ? [] : [{ ...each, rival: rivals[i] }]));
  const last = own.findLastIndex((each) => rivals.includes(each));
  const withRivals = own.map((each) => ({ ...each, rival: declared[rivals.indexOf(each)] }));
  return [...agreeing, ...withRivals.slice(0, last + 1), ...contradicting, ...withRivals.slice(last + 1)];
}

/**
 * The unit code, the quantity code or the label says that an SUV is by body weight. The unit g/ml alone may also be by
 * lean body mass.
 */
function unitOf(mapping: RealWorldValues | undefined, { unit }: Reading): string {
  const { quantity, label } = mapping ?? {};
  const isByWeight = quantity?.value === SUV_BODY_WEIGHT || /suv[ _-]?bw|body weight/i.test(label ?? '');
  return unit.toLowerCase() === 'g/ml' && isByWeight ? 'SUVbw' : unit;
}

/** DCM code for SUVbw. */
const SUV_BODY_WEIGHT = '126401';

const COMPARED = [1, 100, 1_000, 4_000, 30_000];

/** The largest relative difference, over stored values for which both readings are defined. */
export function findDifference(a: Reading, b: Reading): number {
  const differences = COMPARED.map((stored) => {
    const [one, other] = [a.toValue(stored), b.toValue(stored)];
    if (one === undefined || other === undefined) return 0;
    const size = Math.max(Math.abs(one), Math.abs(other));
    return size === 0 ? 0 : Math.abs(one - other) / size;
  });
  return Math.max(...differences);
}

function createSuvReading(suv: Suv, activity: Reading): Reading | undefined {
  if ('missing' in suv) return undefined;
  const { factor } = suv;
  return {
    toValue: (stored) => {
      const value = activity.toValue(stored);
      return value === undefined ? undefined : value * factor;
    },
    unit: 'SUVbw',
    origin: `SUV: ${Number(factor.toPrecision(6))} × modality value`,
    ofModality: activity.ofModality && { slope: factor, intercept: 0 },
  };
}

const TITLES = { suv: 'SUV by body weight', modality: 'Modality values', stored: 'Stored values' } as const;

function titleOf(mapping: DeclaredValues, choice: ReadingChoice): string {
  if (choice.kind !== 'real_world') return TITLES[choice.kind];
  const { quantity, label, source } = mapping.real_world[choice.index] ?? {};
  return quantity?.meaning || label || (source === 'dose_grid_scaling' ? 'Dose' : 'Real world values');
}

function sourceOf(mapping: DeclaredValues, choice: ReadingChoice): number | undefined {
  if (choice.kind !== 'real_world') return undefined;
  return mapping.real_world[choice.index]?.source_file_index ?? undefined;
}
