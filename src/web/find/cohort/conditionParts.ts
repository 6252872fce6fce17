import { writeColumnName } from '../../../shared/columnNames.ts';
import { parseWhere, type WherePart } from '../../../shared/whereClause.ts';

/** A value of a column; null where a row has none. */
export type ColumnValue = string | number | boolean | null;

/** The conditions of a text that all must hold; undefined while it is no condition. */
export function splitCondition(where: string, names: readonly string[]): readonly WherePart[] | undefined {
  if (where.trim() === '') return [];
  const parsed = parseWhere(where, names);
  return parsed.ok ? parsed.where.parts : undefined;
}

/** What is said of this column alone. */
export function conditionsOn(parts: readonly WherePart[], name: string): readonly WherePart[] {
  return parts.filter(({ columns }) => columns.length === 1 && columns[0] === name);
}

/** The condition with another one, or none, in place of what it says of this column alone. */
export function replaceConditionOn(parts: readonly WherePart[], name: string, next: string | undefined): string {
  const own = new Set(conditionsOn(parts, name));
  const others = parts.filter((part) => !own.has(part)).map(({ text }) => text);
  return joinConditions(next === undefined ? others : [...others, next]);
}

/** A condition with one more that must hold. */
export function addCondition(parts: readonly WherePart[], next: string): string {
  return joinConditions([...parts.map(({ text }) => text), next]);
}

function joinConditions(texts: readonly string[]): string {
  const [only] = texts;
  if (texts.length <= 1) return only ?? '';
  return texts.map((text) => (isAlternative(text) ? `(${text})` : text)).join(' and ');
}

/** AND binds more strongly than OR: alternatives need parentheses when something is added. */
function isAlternative(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\w+/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && token.toLowerCase() === 'or') return true;
  }
  return false;
}

/** Whether a row with this value passes what is said of its column alone. */
export function passes(conditions: readonly WherePart[], name: string, value: ColumnValue): boolean {
  return conditions.every(({ test }) => test({ [name]: value }) === true);
}

/** A condition for rows that have one of these values. */
export function writeChoice(name: string, values: readonly ColumnValue[]): string {
  const known = values.filter((value) => value !== null).map(writeColumnValue);
  const column = writeColumnName(name);
  const isOneOf = known.length === 1 ? `${column} = ${known.join()}` : `${column} in (${known.join(', ')})`;
  if (known.length === values.length) return isOneOf;
  return known.length === 0 ? `${column} is null` : `(${isOneOf} or ${column} is null)`;
}

export type ColumnRange = { readonly low: number | undefined; readonly high: number | undefined };

export function writeRange(name: string, { low, high }: ColumnRange): string | undefined {
  const column = writeColumnName(name);
  if (low !== undefined && high !== undefined) return `${column} between ${low} and ${high}`;
  if (low !== undefined) return `${column} >= ${low}`;
  return high === undefined ? undefined : `${column} <= ${high}`;
}

/** The range that the conditions on one column leave, as far as they are written as `writeRange` does. */
export function readRange(conditions: readonly WherePart[]): ColumnRange {
  const [lows, highs]: [number[], number[]] = [[], []];
  for (const { text } of conditions) {
    const [, from, to, sign, bound] = RANGE.exec(text) ?? [];
    if (from !== undefined || sign === '>=') lows.push(Number(from ?? bound));
    if (to !== undefined || sign === '<=') highs.push(Number(to ?? bound));
  }
  return {
    low: lows.length === 0 ? undefined : Math.max(...lows),
    high: highs.length === 0 ? undefined : Math.min(...highs),
  };
}

const NUMBER = String.raw`(-?[\d.]+(?:e[+-]?\d+)?)`;
const COLUMN = String.raw`(?:"(?:[^"]|"")*"|\w+)`;
const RANGE = new RegExp(String.raw`^${COLUMN}\s*(?:between\s+${NUMBER}\s+and\s+${NUMBER}|([<>]=)\s*${NUMBER})$`, 'i');

/** Rows whose text contains this, letter by letter. */
export function writeContains(name: string, text: string): string {
  return `${writeColumnName(name)} like ${writeColumnValue(`%${text}%`)}`;
}

export function writeColumnValue(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
