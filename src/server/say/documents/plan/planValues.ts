import type { DataSet } from '../../../standard/dicom/dataSet.ts';

/** A finite number, or null: JSON has no others. */
export function numberAt(item: DataSet | undefined, tag: number): number | null {
  return finite(item?.number(tag));
}

export function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

/** Text without padding, or null if it is empty. */
export function textAt(item: DataSet | undefined, tag: number): string | null {
  const text = item?.string(tag)?.trim();
  return text === undefined || text === '' ? null : text;
}

/** A declared count of things that are not listed, such as wedges: never negative, never a fraction. */
export function countAt(item: DataSet, tag: number): number {
  const count = item.number(tag) ?? 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Three finite numbers, or null. */
export function coordinatesAt(item: DataSet, tag: number): number[] | null {
  const numbers = item.numbers(tag, 3);
  return numbers.length === 3 && numbers.every(Number.isFinite) ? [...numbers] : null;
}

/** The sum; null if there is nothing to add or if something is unknown. */
export function sumOf(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum;
}
