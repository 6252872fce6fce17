import { toUnitSymbol } from '../../../shared/unitSymbol.ts';
import { type Code, findCode } from '../dicom/code.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

/** A number with its unit. PS3.3 C.18.1. */
export type ContentNumber = {
  /** As stored; undefined without a measured value. */
  readonly stored: string | undefined;
  readonly float: number | undefined;
  readonly rational: readonly [number, number] | undefined;
  readonly unit: Code | undefined;
  readonly unitLabel: string;
  /** Why there is no value, or what is special about it. */
  readonly qualifier: Code | undefined;
};

/** What it is read from, beside the elements of codes. */
export const NUMBER_TAGS: readonly number[] = [
  Tag.MeasuredValueSequence,
  Tag.NumericValue,
  Tag.FloatingPointValue,
  Tag.RationalNumeratorValue,
  Tag.RationalDenominatorValue,
  Tag.MeasurementUnitsCodeSequence,
  Tag.NumericValueQualifierCodeSequence,
];

/** The number of a content item of type NUM. */
export function readContentNumber(item: DataSet): ContentNumber {
  const [measured] = item.items(Tag.MeasuredValueSequence);
  const unit = measured && findCode(measured, Tag.MeasurementUnitsCodeSequence);
  const [numerator, denominator] = [
    measured?.number(Tag.RationalNumeratorValue),
    measured?.number(Tag.RationalDenominatorValue),
  ];
  const float = measured?.number(Tag.FloatingPointValue);
  return {
    stored: measured?.string(Tag.NumericValue),
    float: float !== undefined && Number.isFinite(float) ? float : undefined,
    rational: numerator === undefined || denominator === undefined ? undefined : [numerator, denominator],
    unit,
    unitLabel: unit === undefined ? '' : toUnitSymbol(unit, unit.meaning),
    qualifier: findCode(item, Tag.NumericValueQualifierCodeSequence),
  };
}

/** The number to calculate with: a value that was stored with more digits is the better one. */
export function valueOfNumber({ stored, float }: Pick<ContentNumber, 'stored' | 'float'>): number | undefined {
  const value = float ?? (stored === undefined || stored.trim() === '' ? NaN : Number(stored));
  return Number.isFinite(value) ? value : undefined;
}
