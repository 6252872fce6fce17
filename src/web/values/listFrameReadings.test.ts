import { expect, test } from 'vitest';
import type { RealWorldValues } from '../../shared/contract/valueMapping.ts';
import type { FrameValues } from './frameValues.ts';
import { listFrameReadings } from './listFrameReadings.ts';

const LINE: RealWorldValues = {
  source: 'real_world_value_mapping',
  source_file_index: null,
  label: null,
  first_value_mapped: 0,
  last_value_mapped: 4095,
  transform: { kind: 'linear', slope: 3, intercept: 0 },
  unit_label: '',
  units: null,
  quantity: null,
};

function createValues(realWorld: readonly RealWorldValues[], different: Partial<FrameValues> = {}): FrameValues {
  return {
    mapping: {
      file_index: 0,
      frame_index: 0,
      stored_value_type: 'integer',
      modality: { rescale_slope: 2, rescale_intercept: 5, rescale_type: null, lut: null },
      real_world: [...realWorld],
      voi_lut: null,
    },
    modality: 'MR',
    pet: undefined,
    ...different,
  };
}

test('readings are named after their quantity, their label or what they come from', () => {
  const quantity = { value: '113041', scheme: 'DCM', meaning: 'Apparent Diffusion Coefficient' };
  const values = createValues([
    { ...LINE, quantity, label: 'ADC' },
    { ...LINE, label: 'RCBF', source: 'rwvm_instance', source_file_index: 7 },
    { ...LINE, source: 'dose_grid_scaling' },
    LINE,
  ]);

  const readings = listFrameReadings(values);

  expect(readings.map(({ id, title, sourceFileIndex }) => [id, title, sourceFileIndex])).toEqual([
    ['real_world/0', 'Apparent Diffusion Coefficient', undefined],
    ['real_world/1', 'RCBF', 7],
    ['real_world/2', 'Dose', undefined],
    ['real_world/3', 'Real world values', undefined],
    ['modality', 'Modality values', undefined],
    ['stored', 'Stored values', undefined],
  ]);
});

test('uptake values come after what is declared and before what they are made from', () => {
  const pet = { units: 'BQML', suv: { factor: 0.5, formula: '', inputs: [] } };
  const readings = listFrameReadings(createValues([LINE], { modality: 'PT', pet }));

  expect(readings.map(({ id, reading }) => [id, reading.toValue(10), reading.unit])).toEqual([
    ['real_world/0', 30, ''],
    // (2 x 10 + 5) / 2
    ['suv', 12.5, 'SUVbw'],
    ['modality', 25, 'Bq/ml'],
    ['stored', 10, ''],
  ]);
});

test('uptake values that cannot be computed are no reading', () => {
  const pet = { units: 'BQML', suv: { missing: [] } };
  const ids = listFrameReadings(createValues([], { modality: 'PT', pet })).map(({ id }) => id);

  expect(ids).toEqual(['modality', 'stored']);
});
