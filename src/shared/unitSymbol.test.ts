import { expect, test } from 'vitest';
import { toUcumSymbol, toUnitSymbol } from './unitSymbol.ts';

// Codes from PS3.16 CID 82 to 85 and 7181, and others found in maps and reports.
test.each([
  ["[hnsf'U]", 'HU'],
  ['10*-6.mm2/s', '10⁻⁶ mm²/s'],
  ['10^-3.mm2/s', '10⁻³ mm²/s'],
  ['10*3/ul', '10³/µl'],
  ['um2/s', 'µm²/s'],
  ['mm2/s', 'mm²/s'],
  ['mm[Hg]', 'mmHg'],
  ['s/mm2', 's/mm²'],
  ['ml/ml', 'ml/ml'],
  ['ml/min/100.g', 'ml/min/100 g'],
  ['ml/(min.100.g)', 'ml/(min 100 g)'],
  ['/min', '/min'],
  ['s-1', 's⁻¹'],
  ['mm3', 'mm³'],
  ['Bq/ml', 'Bq/ml'],
  ['umol/min/ml', 'µmol/min/ml'],
  ['{SUVbw}g/ml', 'SUVbw'],
  ['{SUVbsa}cm2/ml', 'SUVbsa'],
  ['g/ml{SUVlbm}', 'SUVlbm'],
  ['{counts}/s', 'counts/s'],
  ['{ratio}', 'ratio'],
  ['ml{blood}/min', 'ml/min'],
  ['mm[H2O]', 'mm[H2O]'],
  ['Cel', '°C'],
  ['u', 'u'],
  ['ms', 'ms'],
  ['%', '%'],
  ['1', ''],
])('the UCUM code %s is written %s', (code, symbol) => {
  expect(toUcumSymbol(code)).toBe(symbol);
});

test('a code of another scheme is written as its meaning', () => {
  expect(toUnitSymbol({ value: 'mm2', scheme: '99LOCAL', meaning: 'square things' }, 'square things')).toBe(
    'square things',
  );
  expect(toUnitSymbol(null, 'Gy')).toBe('Gy');
});
