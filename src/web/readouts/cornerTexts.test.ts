import { expect, test } from 'vitest';
import { createFileRecord } from '../../../test/support/createFileRecord.ts';
import { openAtStart } from '../state/cells.ts';
import { libraryOf, stackOf } from '../state/library.ts';
import { createPage } from '../state/page.ts';
import { patientText } from './cornerTexts.ts';

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
