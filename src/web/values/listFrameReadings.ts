import type { RealWorldValues, ValueMappingResponse } from '../../shared/contract/valueMapping.ts';
import type { Suv } from '../../shared/suv.ts';
import { createReading, listReadings, type Reading, type ReadingChoice } from '../../shared/valueMapping.ts';
import type { FrameValues } from './frameValues.ts';

/** One way to interpret the stored values of a frame. */
export type NamedReading = {
  /** The same in all frames that are interpreted in the same way. */
  readonly id: string;
  readonly title: string;
  readonly reading: Reading;
  /** File index of the Real World Value Mapping object that declares it. */
  readonly sourceFileIndex: number | undefined;
  /** Another reading in the same unit that gives other values. */
  readonly rival?: NamedReading | undefined;
};

/**
 * In order of preference: what the file or another one declares, then what is derived from it, then the stored values.
 * A declared reading comes after the reading in the same unit that the image's own rescale gives, if the two differ,
 * because some mappings ignore the rescale of the slice.
 */
export function listFrameReadings({ mapping, modality, pet }: FrameValues): NamedReading[] {
  const context = { modality, petUnits: pet?.units };
  const readings = listReadings(mapping, context).map((choice) => ({
    id: choice.kind === 'real_world' ? `real_world/${choice.index}` : choice.kind,
    title: titleOf(mapping, choice),
    reading: createReading(mapping, choice, context),
    sourceFileIndex: sourceOf(mapping, choice),
  }));
  const suv = pet && createSuvReading(pet.suv, createReading(mapping, { kind: 'modality' }, context));
  const declared = readings.slice(0, mapping.real_world.length);
  const own: NamedReading[] = readings.slice(mapping.real_world.length);
  if (suv !== undefined) {
    own.unshift({ id: 'suv', title: 'SUV by body weight', reading: suv, sourceFileIndex: undefined });
  }
  return settleRivals(mapping, declared, own);
}

/** Whether a reading of one frame, as a function of modality values, is that of all frames of its volume. */
export function isOfAllFrames({ id }: NamedReading, hasOneRescale: boolean): boolean {
  return id === 'suv' || id === 'modality' || (hasOneRescale && id !== 'stored');
}

/** Readings in the same unit are considered equal up to this relative difference. */
const SAME_WITHIN = 0.01;

function settleRivals(
  mapping: ValueMappingResponse,
  declared: readonly NamedReading[],
  own: readonly NamedReading[],
): NamedReading[] {
  const rivals = declared.map((each, index) => {
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

const TITLES = { modality: 'Modality values', stored: 'Stored values' } as const;

function titleOf(mapping: ValueMappingResponse, choice: ReadingChoice): string {
  if (choice.kind !== 'real_world') return TITLES[choice.kind];
  const { quantity, label, source } = mapping.real_world[choice.index] ?? {};
  return quantity?.meaning || label || (source === 'dose_grid_scaling' ? 'Dose' : 'Real world values');
}

function sourceOf(mapping: ValueMappingResponse, choice: ReadingChoice): number | undefined {
  if (choice.kind !== 'real_world') return undefined;
  return mapping.real_world[choice.index]?.source_file_index ?? undefined;
}
