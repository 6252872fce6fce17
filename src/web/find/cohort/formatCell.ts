import type { WireTableCell, WireTableGroup } from '../../../shared/contract/tables.ts';
import type { ColumnValue } from './conditionParts.ts';

/** A value as it is shown: as the table has it, because conditions are written with it. */
export function formatColumnValue(value: ColumnValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

/** How the files of a row differ in a column. */
export type VaryingCell = Exclude<WireTableCell, ColumnValue>;

export function isVarying(cell: WireTableCell | undefined): cell is VaryingCell {
  return typeof cell === 'object' && cell !== null;
}

export function formatVarying({ distinct, min, max, is_missing: isMissing }: VaryingCell): string {
  const [low, high] = [formatColumnValue(min), formatColumnValue(max)];
  // The range comes first, because narrow columns cut what is last.
  const values = distinct === 1 ? low : `${low} to ${high}, ${distinct} values`;
  return isMissing ? `${values}, or none` : values;
}

/** The heading of a group of rows. */
export function nameGroup(group: WireTableGroup | undefined): string {
  if (group?.is_varying === true) return 'several values';
  return formatColumnValue(group?.value ?? null) || 'none';
}
