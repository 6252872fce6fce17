import type { Code, RealWorldMapping } from '../../shared/contract/semantics.ts';
import { toUcumSymbol } from '../../shared/unitSymbol.ts';
import { formatValue } from '../overlays/formatNumbers.ts';
import type { Fact } from './fact.ts';
import { describeLinear } from './imageFacts.ts';
import { groupDigits } from '../ui/groupDigits.ts';

/** How stored values are mapped to real-world values, and what those mean. */
export function mappingFacts(mapping: RealWorldMapping): Fact[] {
  return [
    ['Quantity', describeCode(mapping.quantity)],
    ['Units', describeUnits(mapping.units)],
    ['Derivation', describeCode(mapping.derivation)],
    ['Stored range', describeRange(mapping)],
    ['Real value', describeTransform(mapping)],
  ];
}

/** `Apparent Diffusion Coefficient (113041, DCM)`. */
function describeCode(code: Code | null): string | undefined {
  if (code === null) return undefined;
  const { value, scheme, meaning } = code;
  return meaning === '' || meaning === value ? `${value} (${scheme})` : `${meaning} (${value}, ${scheme})`;
}

/** `µm²/s, square micrometers per second (um2/s, UCUM)`. */
function describeUnits(units: Code | null): string | undefined {
  const symbol = units?.scheme === 'UCUM' ? toUcumSymbol(units.value) : '';
  if (units === null || symbol === '' || symbol === units.value) return describeCode(units);
  const { value, scheme, meaning } = units;
  const isSaid = ['', value, symbol].includes(meaning);
  return `${symbol}${isSaid ? '' : `, ${meaning}`} (${value}, ${scheme})`;
}

function describeRange({ first_value_mapped: first, last_value_mapped: last }: RealWorldMapping): string | undefined {
  return first === null || last === null ? undefined : `${formatValue(first)} to ${formatValue(last)}`;
}

function describeTransform({ slope, intercept, lut_data, lut_data_truncated }: RealWorldMapping): string | undefined {
  if (slope !== null) return describeLinear(slope, intercept ?? 0);
  const [first, last] = [lut_data[0], lut_data.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const count = `${lut_data_truncated ? 'more than ' : ''}${groupDigits(lut_data.length)} values`;
  return `table of ${count}, from ${formatValue(first)}${lut_data_truncated ? '' : ` to ${formatValue(last)}`}`;
}
