import { describe, expect, test } from 'vitest';
import { rotateBy, type ViewState, WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import { findEdgeLetters, type ImageOrientation, parsePatientOrientation, toLetters } from './patientAxes.ts';
import { imageToCanvas } from './viewTransform.ts';

const AXIAL: ImageOrientation = { kind: 'plane', plane: { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] } };
const CORONAL: ImageOrientation = { kind: 'plane', plane: { rowDirection: [1, 0, 0], columnDirection: [0, 0, -1] } };
const SAGITTAL: ImageOrientation = { kind: 'plane', plane: { rowDirection: [0, 1, 0], columnDirection: [0, 0, -1] } };

function lettersAt(orientation: ImageOrientation, view: ViewState = WHOLE_IMAGE): string {
  const matrix = imageToCanvas(view, { width: 10, height: 20, aspect: 1.5 }, { width: 100, height: 100 });
  const { left, right, top, bottom } = findEdgeLetters(orientation, matrix);
  return [left, right, top, bottom].join(' ');
}

describe('orientation letters, left right top bottom', () => {
  test.each([
    // x grows to the patient's left, y to the back, z to the head. PS3.3 C.7.6.2.1.1.
    ['axial', AXIAL, WHOLE_IMAGE, 'R L A P'],
    ['coronal', CORONAL, WHOLE_IMAGE, 'R L H F'],
    ['sagittal', SAGITTAL, WHOLE_IMAGE, 'A P H F'],
    ['axial, mirrored left to right', AXIAL, { ...WHOLE_IMAGE, flipHorizontal: true }, 'L R A P'],
    ['axial, mirrored top to bottom', AXIAL, { ...WHOLE_IMAGE, flipVertical: true }, 'R L P A'],
    // What was on the left moves to the top.
    ['axial, a quarter to the right', AXIAL, rotateBy(WHOLE_IMAGE, 1), 'P A R L'],
    ['axial, a quarter to the left', AXIAL, rotateBy(WHOLE_IMAGE, -1), 'A P L R'],
    ['a chest film by its letters', { kind: 'letters', row: 'L', column: 'F' }, WHOLE_IMAGE, 'R L H F'],
    ['an oblique mammogram', { kind: 'letters', row: 'P', column: 'FL' }, WHOLE_IMAGE, 'A P HR FL'],
  ] as const)('%s', (_, orientation, view, expected) => {
    expect(lettersAt(orientation, view)).toBe(expected);
  });

  test('an oblique direction has the stronger letter first and weak ones not at all', () => {
    // 30 degrees from left towards the head, and 5 degrees to the front.
    expect(toLetters([0.862, -0.087, 0.5])).toBe('LH');
  });

  test('letters are not guessed for animals or for missing orientations', () => {
    expect(parsePatientOrientation(['LE', 'V'])).toBeUndefined();
    expect(parsePatientOrientation(['', 'F'])).toBeUndefined();
    expect(parsePatientOrientation(['L'])).toBeUndefined();
    expect(parsePatientOrientation(['P ', 'FL'])).toEqual({ kind: 'letters', row: 'P', column: 'FL' });
  });
});
