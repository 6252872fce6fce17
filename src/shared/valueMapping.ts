import type { ModalityMapping, RealWorldValues, ValueMappingResponse } from './contract/valueMapping.ts';
import { applyModality, type ModalityTransform } from './modality.ts';
import { toModalityUnit, type UnitContext } from './modalityUnit.ts';
import { toUnitSymbol } from './unitSymbol.ts';

/** How to interpret a stored value. */
export type ReadingChoice =
  /** Index into `real_world`. */
  | { readonly kind: 'real_world'; readonly index: number }
  /** After rescale or the modality LUT, such as Hounsfield units. */
  | { readonly kind: 'modality' }
  | { readonly kind: 'stored' };

export type Reading = {
  /** Undefined for stored values outside the mapping. */
  readonly toValue: (stored: number) => number | undefined;
  /** Empty if there is none or it is unknown. */
  readonly unit: string;
  /** The code of the unit in the file, if it has one. */
  readonly unitCode?: string | undefined;
  /** The name of the mapping, and its formula. */
  readonly origin: string;
  /**
   * The same values as a linear function of modality values, which are the unit of windows; undefined if they are not
   * linear.
   */
  readonly ofModality: Line | undefined;
};

export type Line = { readonly slope: number; readonly intercept: number };

/** What a mapping makes of stored values. */
export type StoredMapping = Pick<RealWorldValues, 'transform' | 'first_value_mapped' | 'last_value_mapped'>;

type MappedValues = Pick<ValueMappingResponse, 'modality' | 'real_world'>;

/** In order of preference. Modality values are omitted if they equal the stored values and have no unit. */
export function listReadings(mapping: MappedValues, context: UnitContext = {}): ReadingChoice[] {
  const { modality, real_world: realWorld } = mapping;
  const isSame = modality.lut === null && modality.rescale_slope === 1 && modality.rescale_intercept === 0;
  const isListed = !isSame || toModalityUnit(modality.rescale_type, context) !== '';
  return [
    ...realWorld.map((_, index) => ({ kind: 'real_world' as const, index })),
    ...(isListed ? [{ kind: 'modality' as const }] : []),
    { kind: 'stored' },
  ];
}

export function createReading(mapping: MappedValues, choice: ReadingChoice, context: UnitContext = {}): Reading {
  const { modality } = mapping;
  if (choice.kind === 'stored') {
    const ofModality = overModality(SAME, modality);
    return { toValue: (stored) => stored, unit: '', origin: 'as stored', ofModality };
  }
  if (choice.kind === 'modality') {
    const transform = toModalityTransform(modality);
    return {
      toValue: (stored) => applyModality(transform, stored),
      unit: toModalityUnit(modality.rescale_type, context),
      origin: describeModality(modality),
      ofModality: SAME,
    };
  }
  const realWorld = mapping.real_world[choice.index];
  if (realWorld === undefined) throw new RangeError(`there is no real world value mapping ${choice.index}`);
  return {
    toValue: toRealWorld(realWorld),
    unit: toUnitSymbol(realWorld.units, realWorld.unit_label),
    unitCode: realWorld.units === null ? undefined : `${realWorld.units.value} (${realWorld.units.scheme})`,
    origin: describeRealWorld(realWorld),
    ofModality: lineOfModality(realWorld, modality),
  };
}

/** A mapping as a linear function of modality values; undefined if it is none. */
export function lineOfModality(
  { transform }: Pick<StoredMapping, 'transform'>,
  modality: ModalityMapping,
): Line | undefined {
  return transform.kind === 'linear' ? overModality(transform, modality) : undefined;
}

const SAME: Line = { slope: 1, intercept: 0 };

/**
 * Converts a linear function of stored values to one of modality values: real = slope × (modality − intercept') ÷
 * slope' + intercept.
 */
function overModality({ slope, intercept }: Line, modality: ModalityMapping): Line | undefined {
  if (modality.lut !== null) return undefined;
  const ratio = slope / modality.rescale_slope;
  return { slope: ratio, intercept: intercept - ratio * modality.rescale_intercept };
}

function toModalityTransform({ lut, rescale_slope: slope, rescale_intercept: intercept }: ModalityMapping) {
  const transform: ModalityTransform =
    lut === null
      ? { kind: 'rescale', slope, intercept }
      : {
          kind: 'lut',
          table: { firstValue: lut.first_value_mapped, entries: Uint16Array.from(lut.values), bits: 16 },
        };
  return transform;
}

/** PS3.3 C.7.6.16.2.11: the mapping applies to stored values, whatever the rescale of the image. */
export function toRealWorld(mapping: StoredMapping): (stored: number) => number | undefined {
  const { transform, first_value_mapped: first, last_value_mapped: last } = mapping;
  const isMapped = (stored: number) => stored >= (first ?? -Infinity) && stored <= (last ?? Infinity);
  if (transform.kind === 'lut')
    return (stored) => (isMapped(stored) ? transform.values[stored - (first ?? 0)] : undefined);
  const { slope, intercept } = transform;
  return (stored) => (isMapped(stored) ? stored * slope + intercept : undefined);
}

function describeModality({ lut, rescale_slope: slope, rescale_intercept: intercept }: ModalityMapping): string {
  if (lut !== null) return `Modality LUT of ${lut.values.length} values from ${lut.first_value_mapped}`;
  return `Rescale: ${describeLine(slope, intercept)}`;
}

const SOURCES: Readonly<Record<RealWorldValues['source'], string>> = {
  real_world_value_mapping: 'Real World Value Mapping',
  dose_grid_scaling: 'Dose Grid Scaling',
  rwvm_instance: 'Real World Value Mapping object',
};

function describeRealWorld({ source, label, transform, ...range }: RealWorldValues): string {
  const { first_value_mapped: first, last_value_mapped: last } = range;
  const name = label === null ? SOURCES[source] : `${SOURCES[source]} ${label}`;
  const formula =
    transform.kind === 'lut'
      ? `table of ${transform.values.length} values`
      : describeLine(transform.slope, transform.intercept);
  const bounds = first === null || last === null ? '' : `, for stored values from ${first} to ${last}`;
  return `${name}: ${formula}${bounds}`;
}

function describeLine(slope: number, intercept: number): string {
  const product = slope === 1 ? 'stored value' : `${slope} × stored value`;
  if (intercept === 0) return product;
  return `${product} ${intercept < 0 ? '−' : '+'} ${Math.abs(intercept)}`;
}
