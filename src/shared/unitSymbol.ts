import type { Code } from './contract/semantics.ts';

/** The unit shown after a value. UCUM codes can be written as symbols; other schemes have only meanings. */
export function toUnitSymbol(units: Code | null, label: string): string {
  return units?.scheme !== 'UCUM' || units.value === '' ? label : toUcumSymbol(units.value);
}

/** `10⁻⁶ mm²/s` for `10*-6.mm2/s`. Unknown parts stay as written. */
export function toUcumSymbol(code: string): string {
  // UCUM puts what is counted in curly braces: {SUVbw}g/ml.
  const [, counted] = /^\{([^}]+)\}(?=[^./{])/.exec(code) ?? /\{(SUV[^}]+)\}$/.exec(code) ?? [];
  return counted ?? (code === '1' ? '' : code.replaceAll('m[Hg]', 'mHg').replace(TERM, writeTerm));
}

/** A power of ten, a counted thing, a unit with its exponent, or the point, which means multiplication. */
const TERM = /10[*^]([+-]?\d+)|(?<=^|[./(])\{([^}]+)\}|\{[^}]*\}|(\[[^\]]+\]|[A-Za-z]+)([+-]?\d+)?|\./g;

function writeTerm(term: string, power?: string, counted?: string, unit?: string, exponent = ''): string {
  if (power !== undefined) return `10${toSuperscript(power)}`;
  if (unit !== undefined) return (UNITS[unit] ?? unit.replace(MICRO, 'µ')) + toSuperscript(exponent);
  return counted ?? (term === '.' ? ' ' : '');
}

const UNITS: Readonly<Record<string, string>> = {
  "[hnsf'U]": 'HU',
  "[arb'U]": 'arbitrary units',
  '[iU]': 'IU',
  '[degF]': '°F',
  '[in_i]': 'in',
  Cel: '°C',
  Ohm: 'Ω',
  deg: '°',
};

/** UCUM writes u for micro, because keyboards may lack µ. On its own, u is a unit. */
const MICRO = /^u(?=(m|g|l|L|s|mol|A|V|W|J|T|Bq|Ci|Gy|Sv|Pa)$)/;

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function toSuperscript(exponent: string): string {
  return exponent
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? digit);
}
