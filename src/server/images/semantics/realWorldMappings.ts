import type { DataSet } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { CODE_TAGS, findCode } from '../../standard/dicom/code.ts';
import type { RealWorldMapping, StoredValueType } from './parametricMapRecord.ts';

/** Derivation (121401, DCM), and Quantity in both coding schemes in use. PS3.16 TID 300. */
const DERIVATION = '121401';
const QUANTITIES: ReadonlySet<string> = new Set(['246205007', 'G-C1C6']);

export const MAPPING_TAGS: readonly number[] = [
  Tag.RealWorldValueMappingSequence,
  Tag.LUTLabel,
  Tag.RealWorldValueFirstValueMapped,
  Tag.RealWorldValueLastValueMapped,
  Tag.DoubleFloatRealWorldValueFirstValueMapped,
  Tag.DoubleFloatRealWorldValueLastValueMapped,
  Tag.RealWorldValueSlope,
  Tag.RealWorldValueIntercept,
  Tag.RealWorldValueLUTData,
  Tag.MeasurementUnitsCodeSequence,
  Tag.QuantityDefinitionSequence,
  Tag.ConceptNameCodeSequence,
  Tag.ConceptCodeSequence,
  ...CODE_TAGS,
];

/** One item of a Real World Value Mapping Sequence, with at most `mostLutValues` values of its table. */
export function describeMapping(item: DataSet, mostLutValues: number): RealWorldMapping {
  const stored = item.numbers(Tag.RealWorldValueLUTData, mostLutValues);
  const lutLength = item.count(Tag.RealWorldValueLUTData);
  // A table with missing values is unusable, and JSON could not represent it.
  const lut = stored.every(Number.isFinite) ? stored : [];
  const definitions = item.items(Tag.QuantityDefinitionSequence);
  const byName = (isWanted: (name: string) => boolean) =>
    definitions.find((each) => isWanted(findCode(each, Tag.ConceptNameCodeSequence)?.value ?? ''));
  return {
    label: item.string(Tag.LUTLabel),
    firstValueMapped:
      item.number(Tag.DoubleFloatRealWorldValueFirstValueMapped) ?? item.number(Tag.RealWorldValueFirstValueMapped),
    lastValueMapped:
      item.number(Tag.DoubleFloatRealWorldValueLastValueMapped) ?? item.number(Tag.RealWorldValueLastValueMapped),
    slope: item.number(Tag.RealWorldValueSlope),
    intercept: item.number(Tag.RealWorldValueIntercept),
    lutData: lut,
    lutDataTruncated: lutLength > lut.length && lut.length > 0,
    lutLength,
    units: findCode(item, Tag.MeasurementUnitsCodeSequence),
    quantity: findCode(
      byName((name) => QUANTITIES.has(name)),
      Tag.ConceptCodeSequence,
    ),
    derivation: findCode(
      byName((name) => name === DERIVATION),
      Tag.ConceptCodeSequence,
    ),
  };
}

/** Undefined if a mapping can be applied to stored values of this type, otherwise the reason why not. */
export function findMappingProblem(mapping: RealWorldMapping, stored: StoredValueType): string | undefined {
  const { slope, intercept, lutLength, firstValueMapped: first, lastValueMapped: last } = mapping;
  const named = mapping.label === undefined ? 'a mapping' : `the mapping ${mapping.label}`;
  if (first === undefined || last === undefined) return `${named} does not declare the stored values that it maps`;
  if (first > last) return `${named} has its last value before its first: ${first} to ${last}`;
  if (lutLength > 0) {
    if (mapping.lutData.length === 0) return `${named} has a table with values that are not numbers`;
    if (stored !== 'integer') return `${named} is a table, which cannot map stored values with fractions`;
    const needed = last - first + 1;
    return lutLength === needed ? undefined : `${named} has a table of ${lutLength} values, but needs ${needed}`;
  }
  if (slope === undefined || intercept === undefined) return `${named} has neither a table nor slope and intercept`;
  return slope === 0 || !Number.isFinite(slope) || !Number.isFinite(intercept)
    ? `${named} has the slope ${slope} and the intercept ${intercept}`
    : undefined;
}
