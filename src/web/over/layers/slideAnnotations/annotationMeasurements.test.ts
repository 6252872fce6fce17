import { expect, test } from 'vitest';
import type { WireLayerPart } from '../../../../shared/contract/layerAnswers.ts';
import { countInRange, listMeasurements } from './annotationMeasurements.ts';

function createPart(part: number, measurements: WireLayerPart['measurements']): WireLayerPart {
  return {
    part,
    label: null,
    description: null,
    type: null,
    interpreted_type: null,
    color: [0, 0, 0],
    color_source: 'palette',
    geometry: [],
    item: null,
    measurements,
    contour_count: null,
    nested: null,
    volume_mm3: null,
    ends: [],
    reason: null,
  };
}

test('a measurement that several groups have is one, from the lowest value to the highest', () => {
  const area = { name: 'Area', unit: 'µm²', count: 2, bins: [1, 1] };
  const parts = [
    createPart(1, [{ ...area, range: [20, 40] }]),
    createPart(2, [
      { name: 'Score', unit: '', count: 1, range: [0.5, 0.5], bins: [1, 0] },
      { ...area, range: [10, 30] },
    ]),
    // Without values there is nothing to color by.
    createPart(3, [{ ...area, count: 0, range: null, bins: [] }]),
  ];
  expect(listMeasurements({ parts })).toEqual([
    {
      title: 'Area (µm²)',
      unit: 'µm²',
      low: 10,
      high: 40,
      placeOf: new Map([
        [1, 0],
        [2, 1],
      ]),
      valuesOf: new Map([
        [1, { range: [20, 40], count: 2, bins: [1, 1] }],
        [2, { range: [10, 30], count: 2, bins: [1, 1] }],
      ]),
    },
    {
      title: 'Score',
      unit: '',
      low: 0.5,
      high: 0.5,
      placeOf: new Map([[2, 0]]),
      valuesOf: new Map([[2, { range: [0.5, 0.5], count: 1, bins: [1, 0] }]]),
    },
  ]);
  // One of the first group from 20 to 30; both of the second one.
  const [measured] = listMeasurements({ parts });
  expect(countInRange(measured!, { title: '', low: 10, high: 30 })).toEqual({ shown: 3, all: 4 });
});
