import { beforeEach, expect, test } from 'vitest';
import { createFileRecord } from '../../../test/support/createFileRecord.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import { NOTHING_SHOWN, setReport, type ViewportReport } from '../show/pictures/viewports.ts';
import { openAtStart } from '../kit/state/cells.ts';
import { libraryOf, stackOf } from '../kit/state/library.ts';
import { createPage } from '../kit/state/page.ts';
import { getCommand } from './commandTable.ts';
import { whyNotGray } from './windowCommands.ts';

let page = createPage();

beforeEach(() => {
  page = createPage();
});

function open(different: Partial<FileRecord>): void {
  const file = createFileRecord(0, different);
  libraryOf(page).setState({ files: [file] });
  openAtStart(page, 0, stackOf(page, file));
}

const IMAGE: Partial<FileRecord> = { support_state: 'renderable', frame_count: 1, modality: 'CT' };

function isEnabled(id: string): boolean {
  return getCommand(id).isEnabled?.(page) ?? true;
}

const NEED_GRAY = ['window.file', 'window.full', 'window.1', 'color.next'];

test('windows and color maps are not offered without an image, and the reason is given', () => {
  expect(whyNotGray(page)).toBe('No image is shown.');
  open({ frame_count: 0 });
  expect(whyNotGray(page)).toBe('No image is shown.');
  expect(NEED_GRAY.filter(isEnabled)).toEqual([]);
});

test.each<readonly [Partial<ViewportReport>, string | undefined]>([
  [{ status: 'loading' }, undefined],
  [{ status: 'ready', window: { center: 40, width: 400, applied: 'linear' } }, undefined],
  [{ status: 'ready' }, 'The image is in color.'],
  [{ status: 'failed' }, 'The image cannot be shown.'],
])('an image that is %j gets them only if it can be gray', (report, reason) => {
  open(IMAGE);
  setReport(page, 0, { ...NOTHING_SHOWN, ...report });
  expect(whyNotGray(page)).toBe(reason);
  expect(NEED_GRAY.map(isEnabled)).toEqual(NEED_GRAY.map(() => reason === undefined));
});

test('an object without an image can be downloaded', () => {
  expect(isEnabled('file.download')).toBe(false);
  open({ frame_count: 0 });
  expect(isEnabled('file.download')).toBe(true);
});
