import type { ValueMappingResponse } from '../../shared/contract/valueMapping.ts';
import type { Suv } from '../../shared/suv.ts';
import { createReading, listReadings, type Reading, type ReadingChoice } from '../../shared/valueMapping.ts';
import type { FrameValues } from './frameValues.ts';

/** One way to read the values of a frame. */
export type NamedReading = {
  /** The same in all frames that are read alike. */
  readonly id: string;
  readonly title: string;
  readonly reading: Reading;
  /** Of the Real World Value Mapping object that it is from. */
  readonly sourceFileIndex: number | undefined;
};

/** In order of preference: what the file or another one declares, then what follows from it, then what is stored. */
export function listFrameReadings({ mapping, modality, pet }: FrameValues): NamedReading[] {
  const context = { modality, petUnits: pet?.units };
  const readings = listReadings(mapping, context).map((choice) => ({
    id: choice.kind === 'real_world' ? `real_world/${choice.index}` : choice.kind,
    title: titleOf(mapping, choice),
    reading: createReading(mapping, choice, context),
    sourceFileIndex: sourceOf(mapping, choice),
  }));
  const suv = pet && createSuvReading(pet.suv, createReading(mapping, { kind: 'modality' }, context));
  if (suv === undefined) return readings;
  const declared = mapping.real_world.length;
  return readings.toSpliced(declared, 0, {
    id: 'suv',
    title: 'SUV by body weight',
    reading: suv,
    sourceFileIndex: undefined,
  });
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
