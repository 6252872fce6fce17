import type { Code } from './contract/semantics.ts';

/** What stands behind a value. Codes of UCUM are symbols themselves; other schemes only have meanings. */
export function toUnitSymbol(units: Code | null, label: string): string {
  if (units?.scheme !== 'UCUM' || units.value === '') return label;
  // In curly braces UCUM says what is counted: {SUVbw}g/ml.
  const [, counted] = /^\{(.+?)\}/.exec(units.value) ?? [];
  return SYMBOLS[units.value] ?? counted ?? units.value;
}

const SYMBOLS: Readonly<Record<string, string>> = { '1': '', "[hnsf'U]": 'HU' };
