import { describe, expect, test } from 'vitest';
import { LESIONS } from './organs.ts';
import { createPatientModel } from './patientModel.ts';
import { type Plane, type PatientPoint, stackAround, toPlaneCoordinates, unit } from './plane.ts';
import { LABEL, TISSUE_NAMES } from './tissue.ts';

const AXIAL = { along: [1, 0, 0], down: [0, 1, 0], spacingMm: 0.8, rows: 480, columns: 480 } as const;

describe('an axial slice', () => {
  const model = createPatientModel();
  const tissueAt = (point: PatientPoint) => {
    const [plane] = stackAround([0, 0, point[2]], { ...AXIAL, count: 1, spacingBetweenMm: 1 });
    return TISSUE_NAMES[labelAt(model.labels(plane!), plane!, point)];
  };

  test.each([
    ['air in front of the chest', [0, -170, 60], 'air'],
    ['lung on the left', [90, 10, 70], 'lung'],
    ['liver on the right', [-110, -20, -20], 'liver'],
    ['the largest lesion', LESIONS[0].center, 'lesion'],
    ['blood in the aorta', [20, 26, -60], 'blood'],
    ['the spinal cord', [0, 77, 0], 'spinalCord'],
  ] as const)('has %s', (_, point, tissue) => {
    expect(tissueAt(point)).toBe(tissue);
  });
});

test('an oblique and an axial plane agree where they cross', () => {
  const model = createPatientModel();
  const axial = stackAround([0, 0, -10], { ...AXIAL, count: 1, spacingBetweenMm: 1 })[0]!;
  const down = unit([0, 0.4, -1]);
  const oblique = stackAround([0, -10, -10], { ...AXIAL, down, count: 1, spacingBetweenMm: 1 })[0]!;
  const [axialLabels, obliqueLabels] = [model.labels(axial), model.labels(oblique)];

  // The planes intersect in the line y = -10, z = -10.
  const crossing = Array.from({ length: 340 }, (_, i): PatientPoint => [i - 170, -10, -10]);
  const same = crossing.filter(
    (point) => labelAt(axialLabels, axial, point) === labelAt(obliqueLabels, oblique, point),
  );

  // Pixel centres are up to half a pixel from the line, so only the edges of tissues may differ.
  expect(same.length).toBeGreaterThan(0.93 * crossing.length);
  expect(new Set(crossing.map((point) => labelAt(axialLabels, axial, point))).size).toBeGreaterThan(5);
});

test('only the air around the patient touches the border of a slice', () => {
  const plane = stackAround([0, 0, 0], { ...AXIAL, count: 1, spacingBetweenMm: 1 })[0]!;
  const labels = createPatientModel().labels(plane);

  const border = [...labels.subarray(0, plane.columns), ...labels.subarray(-plane.columns)];

  expect(new Set(border)).toEqual(new Set([LABEL.air]));
});

function labelAt(labels: Uint8Array, plane: Plane, point: PatientPoint): number {
  const [column, row] = toPlaneCoordinates(plane, point);
  return labels[Math.round(row) * plane.columns + Math.round(column)]!;
}
