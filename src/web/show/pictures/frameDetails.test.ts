import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdAnswers } from '../../../../test/support/heldAnswers.ts';
import type { PlaneRun } from '../../../shared/contract/series.ts';
import { createPage } from '../../kit/state/page.ts';
import type { StackFrame, ViewStack } from '../../kit/state/stacks.ts';
import { detailsOf, findDetails, findOrientation, loadDetails } from './frameDetails.ts';

let page = createPage();
beforeEach(() => {
  page = createPage();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const RUN: PlaneRun = {
  first: 0,
  count: 2,
  space: 'patient',
  orientation: [0, 1, 0, 0, 0, -1],
  origins_mm: null,
  origin_step: null,
  pixel_spacing_mm: null,
  pixel_spacing_source: null,
};

function stackOf(
  kind: ViewStack['kind'],
  plane: PlaneRun | undefined,
  warnings: ViewStack['warnings'] = [],
): ViewStack {
  const frames = [0, 1].map((frame): StackFrame => ({
    fileIndex: 7,
    frame,
    sopInstanceUid: '1.2',
    positionMm: undefined,
    plane,
  }));
  return { id: 'a', kind, frames, warnings, fileIndex: 7, seriesUid: undefined, studyUid: undefined };
}

function knowOfFrame(frame: number, values: Readonly<Record<string, string>>): void {
  detailsOf(page).setState({ details: new Map([[`7/${frame}`, { values: new Map(Object.entries(values)) }]]) });
}

function orientationAt(stack: ViewStack, position: number) {
  return findOrientation(page, { stack, planeOf: (at) => stack.frames[at]?.plane }, position);
}

const LETTERS = { kind: 'letters', row: 'A', column: 'F' };
const SAGITTAL = { kind: 'plane', plane: { rowDirection: [0, 1, 0], columnDirection: [0, 0, -1] } };

test('a frame lies as its plane says, before anything else is known of it', () => {
  const stack = stackOf('ordinary', RUN);
  expect(orientationAt(stack, 1)).toEqual(SAGITTAL);
});

test('a projection has the letters of its file, and its neighbours until they have their own', () => {
  const stack = stackOf('ordinary', { ...RUN, orientation: null });
  expect(orientationAt(stack, 0)).toBeUndefined();
  knowOfFrame(0, { PatientOrientation: 'A\\F' });
  expect(orientationAt(stack, 0)).toEqual(LETTERS);
  expect(orientationAt(stack, 1)).toEqual(LETTERS);
  const mixed = { code: 'inconsistent_orientation' as const, message: '', file_indices: [] };
  expect(orientationAt({ ...stack, warnings: [mixed] }, 1)).toBeUndefined();
});

test.each(['volume', 'slide'] as const)('the coordinates of a %s have no left and right', (space) => {
  const stack = stackOf('ordinary', { ...RUN, space });
  expect(orientationAt(stack, 0)).toBeUndefined();
});

test('a file that is in no series says itself how it lies', () => {
  const stack = stackOf('file', undefined);
  knowOfFrame(0, { ImageOrientationPatient: '0\\1\\0\\0\\0\\-1', PatientOrientation: 'A\\F' });
  expect(orientationAt(stack, 0)).toEqual(SAGITTAL);
  expect(orientationAt(stack, 1)).toBeUndefined();
});

test('details from an earlier run of the server are not kept', async () => {
  const answers = holdAnswers();
  const [frame] = stackOf('ordinary', undefined).frames;
  if (frame === undefined) throw new Error('no frame');
  const { signal } = new AbortController();
  const loading = loadDetails(page, frame, signal);
  page.restart();
  answers[0]?.([]);
  await loading;
  expect(findDetails(page, frame)).toBeUndefined();

  const again = loadDetails(page, frame, signal);
  answers[1]?.([]);
  await again;
  expect(findDetails(page, frame)).toEqual({ values: new Map() });
});
