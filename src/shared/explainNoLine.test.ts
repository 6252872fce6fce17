import { expect, test } from 'vitest';
import type { RealWorldValues } from './contract/valueMapping.ts';
import { explainNoLine } from './explainNoLine.ts';
import { type DeclaredValues, listFrameReadings } from './listFrameReadings.ts';

const LINE: RealWorldValues = {
  source: 'real_world_value_mapping',
  source_file_index: null,
  label: 'ADC',
  first_value_mapped: 0,
  last_value_mapped: 1,
  transform: { kind: 'linear', slope: 3, intercept: 0 },
  unit_label: '',
  units: null,
  quantity: null,
  in_stack: 'same',
};

function explainFirst(mapping: RealWorldValues, lut: DeclaredValues['modality']['lut'] = null) {
  const modality = { rescale_slope: 2, rescale_intercept: 5, rescale_type: null, lut };
  const values = { modality, real_world: [mapping], pet: null };
  return explainNoLine(listFrameReadings({ mapping: values, modality: 'MR' })[0]!, values);
}

test('a mapping that makes no values of a volume says why', () => {
  expect(explainFirst(LINE)).toBeUndefined();
  const table = { ...LINE, transform: { kind: 'lut' as const, values: [1, 7] }, in_stack: 'own' as const };
  expect(explainFirst(table)).toBe('the mapping “ADC” is a table');
  expect(explainFirst({ ...LINE, in_stack: 'own' })).toBe('the mapping “ADC” differs from image to image');
  // What maps stored values cannot be told from what a table has made of them.
  expect(explainFirst(LINE, { first_value_mapped: 0, values: [4, 4] })).toBe(
    'the mapping “ADC” is not of modality values',
  );
});
