import { expect, test } from 'vitest';
import type { RealWorldValues } from './contract/valueMapping.ts';
import { type DeclaredValues, type FrameValues, listCaveats, listFrameReadings } from './listFrameReadings.ts';

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
  in_stack: null,
};

function createValues(
  realWorld: readonly RealWorldValues[],
  { modality = 'MR', pet = null }: { readonly modality?: string; readonly pet?: DeclaredValues['pet'] } = {},
): FrameValues {
  return {
    mapping: {
      modality: { rescale_slope: 2, rescale_intercept: 5, rescale_type: null, lut: null },
      real_world: [...realWorld],
      pet,
    },
    modality,
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

test('uptake values that cannot be computed are not a reading', () => {
  const pet = { units: 'BQML', suv: { missing: [] } };
  const ids = listFrameReadings(createValues([], { modality: 'PT', pet })).map(({ id }) => id);

  expect(ids).toEqual(['modality', 'stored']);
});

/** A PET slice with slope 2 whose SUV is half the activity: 1 per stored value. */
const PET = { modality: 'PT', pet: { units: 'BQML', suv: { factor: 0.5, formula: '', inputs: [] } } };
const PLAIN_RESCALE = { rescale_slope: 2, rescale_intercept: 0, rescale_type: null, lut: null };
const SUV_UNITS = { value: '{SUVbw}g/ml', scheme: 'UCUM', meaning: 'Standardized Uptake Value body weight' };

function readPet(...realWorld: readonly RealWorldValues[]) {
  const { mapping } = createValues(realWorld);
  return listFrameReadings({ mapping: { ...mapping, modality: PLAIN_RESCALE, pet: PET.pet }, modality: PET.modality });
}

const toLine = (slope: number): RealWorldValues['transform'] => ({ kind: 'linear', slope, intercept: 0 });

test.each([
  ['its unit', { units: SUV_UNITS }],
  ['its quantity', { unit_label: 'g/ml', quantity: { value: '126401', scheme: 'DCM', meaning: 'SUVbw' } }],
])(
  'a declared SUV, by %s, that contradicts the rescale of its slice comes after our own, and both name the other',
  (_, more) => {
    // The mapping is that of a slice with another slope: 1.02 per stored value, 2 % more.
    const [first, second, ...rest] = readPet({ ...LINE, ...more, label: 'SUV', transform: toLine(1.02) });
    expect([first?.id, second?.id, ...rest.map(({ id }) => id)]).toEqual(['suv', 'real_world/0', 'modality', 'stored']);
    expect(first?.rival?.id).toBe('real_world/0');
    expect(second?.rival?.id).toBe('suv');
    expect(first?.reading.toValue(1000)).toBe(1000);
    expect(second?.reading.toValue(1000)).toBe(1020);
  },
);

test('a declared SUV within 1 % of our own is preferred as before', () => {
  const [first, second] = readPet({ ...LINE, units: SUV_UNITS, transform: toLine(1.009) });
  expect([first?.id, first?.rival, second?.id]).toEqual(['real_world/0', undefined, 'suv']);
});

test('uptake by lean body mass is another quantity, and may differ', () => {
  const units = { value: '{SUVlbm}g/ml', scheme: 'UCUM', meaning: 'Standardized Uptake Value lean body mass' };
  const [first] = readPet({ ...LINE, units, transform: toLine(0.7) });
  expect([first?.id, first?.rival]).toEqual(['real_world/0', undefined]);
});

test('a mapping that ignores the rescale of slices comes after our own, whatever its unit, and there is a caveat', () => {
  const units = { value: '{SUVlbm}g/ml', scheme: 'UCUM', meaning: 'Standardized Uptake Value lean body mass' };
  const lean = { ...LINE, label: 'LBM', units, transform: toLine(0.7), in_stack: 'ignores_rescale' } as const;
  const readings = readPet(lean);
  expect(readings.map(({ id, rival }) => [id, rival?.id])).toEqual([
    ['suv', 'real_world/0'],
    ['real_world/0', 'suv'],
    ['modality', undefined],
    ['stored', undefined],
  ]);
  expect(listCaveats(readings, createValues([lean]).mapping)).toEqual([
    'the mapping “LBM” to SUVlbm ignores that the rescale differs from slice to slice, so it contradicts the images',
  ]);
});

test('a mapping that an image of the volume lacks comes after our own, and there is a caveat', () => {
  const partial = { ...LINE, label: 'Iodine', in_stack: 'missing' } as const;
  const readings = readPet(partial);
  expect(readings.map(({ id }) => id)).toEqual(['suv', 'real_world/0', 'modality', 'stored']);
  expect(listCaveats(readings, createValues([partial]).mapping)).toEqual([
    expect.stringMatching(/^the mapping “Iodine”.* is not in all images of the volume, which have one unit$/),
  ]);
});

test('a mapping to the unit of the modality values must agree with them, too', () => {
  const units = { value: 'Bq/ml', scheme: 'UCUM', meaning: 'Becquerels per milliliter' };
  const ids = (slope: number) => readPet({ ...LINE, units, transform: toLine(slope) }).map(({ id }) => id);
  expect(ids(2)).toEqual(['real_world/0', 'suv', 'modality', 'stored']);
  expect(ids(3)).toEqual(['suv', 'modality', 'real_world/0', 'stored']);
});
