import { afterEach, expect, test, vi } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { holdAnswers } from '../../../../test/support/heldAnswers.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import type { StackFrame } from '../../kit/state/stacks.ts';
import { findValues, loadValues } from './frameValues.ts';

const FRAME: StackFrame = { fileIndex: 0, frame: 2, sopInstanceUid: '1.2', positionMm: undefined, plane: undefined };
const NEVER_ABORTED = new AbortController().signal;

afterEach(() => {
  vi.unstubAllGlobals();
});

test('values of a frame from an earlier run of the server are not kept, nor is their failure', async () => {
  const answers = holdAnswers();
  const page = createPage();
  libraryOf(page).setState({ files: [createFileRecord(0, { modality: 'CT' })] });
  const loading = loadValues(page, FRAME, NEVER_ABORTED);
  page.restart();
  answers[0]?.({ readings: [] });
  await loading;
  expect(findValues(page, FRAME)).toBeUndefined();

  const again = loadValues(page, FRAME, NEVER_ABORTED);
  answers[1]?.({ readings: [] });
  await again;
  expect(findValues(page, FRAME)).toMatchObject({ mapping: { readings: [] } });
});
