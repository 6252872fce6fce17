import { assert, double, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModalityMapping, RealWorldValues } from './contract/valueMapping.ts';
import { createReading, listReadings } from './valueMapping.ts';

function createMapping(
  modality: Partial<ModalityMapping> = {},
  ...realWorld: readonly Partial<RealWorldValues>[]
): { modality: ModalityMapping; real_world: RealWorldValues[] } {
  return {
    modality: { rescale_slope: 1, rescale_intercept: 0, rescale_type: null, lut: null, ...modality },
    real_world: realWorld.map((different) => ({
      source: 'real_world_value_mapping',
      source_file_index: null,
      label: null,
      first_value_mapped: null,
      last_value_mapped: null,
      transform: { kind: 'linear', slope: 1, intercept: 0 },
      unit_label: '',
      units: null,
      quantity: null,
      in_stack: null,
      ...different,
    })),
  };
}

const MODALITY = { kind: 'modality' } as const;
const FIRST = { kind: 'real_world', index: 0 } as const;

describe('the readings of a frame', () => {
  test('are its real world values, its modality values and its stored values', () => {
    expect(listReadings(createMapping({ rescale_slope: 2 }, {}, {}))).toEqual([
      { kind: 'real_world', index: 0 },
      { kind: 'real_world', index: 1 },
      { kind: 'modality' },
      { kind: 'stored' },
    ]);
  });

  test('do not include modality values that equal the stored ones', () => {
    expect(listReadings(createMapping())).toEqual([{ kind: 'stored' }]);
    expect(listReadings(createMapping({ rescale_type: 'US' }))).toEqual([{ kind: 'stored' }]);
    expect(listReadings(createMapping(), { modality: 'CT' })).toEqual([{ kind: 'modality' }, { kind: 'stored' }]);
  });
});

describe('the modality reading', () => {
  test('applies the rescale', () => {
    const { toValue, unit } = createReading(createMapping({ rescale_intercept: -1024, rescale_type: 'HU' }), MODALITY);
    expect([toValue(1064), unit]).toEqual([40, 'HU']);
  });

  test('looks up a table, whose ends are used for values outside it', () => {
    const lut = { first_value_mapped: -1, values: [10, 20, 40] };
    const { toValue } = createReading(createMapping({ lut }), MODALITY);
    expect([-5, -1, 0, 1, 9].map(toValue)).toEqual([10, 10, 20, 40, 40]);
  });
});

describe('the real world reading', () => {
  const mapping = { first_value_mapped: 10, last_value_mapped: 12 };

  test('maps stored values, whatever the rescale, and only those in its range', () => {
    const transform = { kind: 'linear', slope: 0.5, intercept: 1 } as const;
    const { toValue } = createReading(createMapping({ rescale_slope: 100 }, { ...mapping, transform }), FIRST);
    expect([9, 10, 12, 13].map(toValue)).toEqual([undefined, 6, 7, undefined]);
  });

  test('looks up a table whose first entry is for the first value mapped', () => {
    const transform = { kind: 'lut' as const, values: [0.25, 0.5, 4] };
    const { toValue, ofModality } = createReading(createMapping({}, { ...mapping, transform }), FIRST);
    expect([9, 10, 11, 12, 13, 10.5].map(toValue)).toEqual([undefined, 0.25, 0.5, 4, undefined, undefined]);
    expect(ofModality).toBeUndefined();
  });

  test('maps every value if no range is declared, as for a dose', () => {
    const transform = { kind: 'linear', slope: 0.25, intercept: 0 } as const;
    const dose = { source: 'dose_grid_scaling', transform, unit_label: 'Gy' } as const;
    const { toValue, unit, origin } = createReading(createMapping({}, dose), FIRST);
    expect([toValue(8), unit, origin]).toEqual([2, 'Gy', 'Dose Grid Scaling: 0.25 × stored value']);
  });

  test('has its source, its formula and its range', () => {
    const transform = { kind: 'linear', slope: 0.5, intercept: -2 } as const;
    const { origin } = createReading(createMapping({}, { ...mapping, transform, label: 'ADC' }), FIRST);
    expect(origin).toBe('Real World Value Mapping ADC: 0.5 × stored value − 2, for stored values from 10 to 12');
  });

  test.each([
    [{ value: 'um2/s', scheme: 'UCUM', meaning: 'square micrometers per second' }, 'µm²/s'],
    [{ value: '{SUVbw}g/ml', scheme: 'UCUM', meaning: 'Standardized Uptake Value body weight' }, 'SUVbw'],
    [{ value: "[hnsf'U]", scheme: 'UCUM', meaning: 'Hounsfield unit' }, 'HU'],
    [{ value: '1', scheme: 'UCUM', meaning: 'no units' }, ''],
    [{ value: 'X1', scheme: '99LOCAL', meaning: 'arbitrary units' }, 'arbitrary units'],
  ])('has the unit of the code %j', (units, expected) => {
    const { unit, unitCode } = createReading(createMapping({}, { units, unit_label: units.meaning }), FIRST);
    expect([unit, unitCode]).toEqual([expected, `${units.value} (${units.scheme})`]);
  });

  test('that does not exist is an error', () => {
    expect(() => createReading(createMapping(), FIRST)).toThrow(RangeError);
  });
});

test('a linear reading gives the same value from a stored value and from its modality value', () => {
  const factor = double({ min: 0.001, max: 1000, noNaN: true });
  const shift = double({ min: -1000, max: 1000, noNaN: true });
  assert(
    property(factor, shift, factor, shift, integer({ min: -32768, max: 65535 }), (s, i, slope, intercept, stored) => {
      const mapping = createMapping(
        { rescale_slope: s, rescale_intercept: i },
        { transform: { kind: 'linear', slope, intercept } },
      );
      const { toValue, ofModality } = createReading(mapping, FIRST);
      const modality = createReading(mapping, MODALITY).toValue(stored) ?? NaN;
      const size = Math.abs(stored * slope) + Math.abs(intercept) + (Math.abs(i) * slope) / s;
      const difference =
        (ofModality?.slope ?? NaN) * modality + (ofModality?.intercept ?? NaN) - (toValue(stored) ?? NaN);
      expect(Math.abs(difference)).toBeLessThanOrEqual(1e-9 * (size + 1));
    }),
  );
});
