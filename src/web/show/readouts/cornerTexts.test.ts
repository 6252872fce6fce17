import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { openAtStart } from '../../kit/state/cells.ts';
import { libraryOf, stackOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { distinctionText, patientText } from './cornerTexts.ts';

test('a patient whose name has no alphabetic group is named by the ideographic group', () => {
  const page = createPage();
  const file = createFileRecord(0, {
    patient_name: '=山田^太郎=やまだ^たろう',
    support_state: 'renderable',
    frame_count: 1,
  });
  libraryOf(page).setState({ files: [file] });
  openAtStart(page, 0, stackOf(page, file));
  expect(patientText(page, 0)).toBe('山田, 太郎');
});

test.each([
  ['wsi_pyramid_level', ''],
  ['ordinary', 'volume none'],
] as const)('a slide is not described by what distinguishes its levels (%s)', (kind, text) => {
  const page = createPage();
  const file = createFileRecord(0, { support_state: 'renderable', frame_count: 1 });
  const stack: ViewStack = {
    id: 'one',
    kind,
    frames: [{ fileIndex: 0, frame: 0, sopInstanceUid: '1.2.3', positionMm: undefined }],
    warnings: [],
    fileIndex: 0,
    distinction: [{ name: 'image_type', value: 'VOLUME NONE' }],
    seriesUid: '1.2',
    studyUid: '1',
  };
  libraryOf(page).setState({
    files: [file],
    stacks: new Map([[stack.id, stack]]),
    stackOfFile: new Map([[0, stack]]),
    isSeriesComplete: true,
  });
  openAtStart(page, 0, stack);
  expect(distinctionText(page, 0)).toBe(text);
});
