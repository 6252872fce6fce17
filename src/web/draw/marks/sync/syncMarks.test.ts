import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import type { WireMark } from '../../../../shared/contract/marks.ts';
import type { MarkChanges } from '../../../kit/api/marks.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { noteMarkNews } from '../../../kit/state/markNews.ts';
import { createPage, type Page } from '../../../kit/state/page.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import { markSyncOf } from './markKind.ts';
import { markRequestsOf } from './markRequests.ts';
import { marksOf, putMarks } from './marks.ts';
import { syncMarks } from './syncMarks.ts';

const FORM = {
  kind: 'length' as const,
  place: { type: 'frame' as const, file_index: 0, frame_index: 0 },
  points: [
    [1, 2],
    [3, 4],
  ],
  ...NO_WORDS,
};
const MADE: WireMark = {
  ...FORM,
  id: 7,
  uid: '2.25.1',
  etag: '"1"',
  revision: 1,
  color: null,
  slices: [],
  created_at_ms: 0,
  modified_at_ms: 0,
};

test.each([
  ['what has changed', { revision: 2, whole: false, deleted: [7], marks: [] }],
  ['all marks', { revision: 2, whole: true, deleted: [], marks: [] }],
])('a mark that another tab deletes before this one learns that it was made is gone here, too: %s', async (_, news) => {
  const lists = [{ revision: 0, whole: true, deleted: [], marks: [] }, news];
  const { page, answer } = openPage(() => lists.shift() ?? { ...news, deleted: [], whole: false });
  await settle();

  putMarks(page, new Map([['2.25.1', FORM]]));
  await settle();
  noteMarkNews(page);
  await settle();
  answer(MADE);
  await settle();

  expect([...marksOf(page).getState().marks.keys()]).toEqual([]);
  expect(markSyncOf(page).hasUnsaved()).toBe(false);
});

test('a mark that was deleted and is made again, which gives it the same number, stays', async () => {
  const lists = [
    { revision: 0, whole: true, deleted: [], marks: [] },
    { revision: 2, whole: false, deleted: [7], marks: [] },
  ];
  const { page, answer } = openPage(() => lists.shift() ?? { revision: 3, whole: false, deleted: [], marks: [] });
  await settle();

  putMarks(page, new Map([['2.25.1', FORM]]));
  await settle();
  noteMarkNews(page);
  await settle();
  answer({ ...MADE, revision: 3 });
  await settle();

  expect([...marksOf(page).getState().marks.keys()]).toEqual(['2.25.1']);
});

/** A page whose request for a new mark is answered when the test says so. */
function openPage(list: () => MarkChanges): { readonly page: Page; readonly answer: (made: WireMark) => void } {
  const page = createPage();
  const answers: ((made: WireMark) => void)[] = [];
  Object.assign(markRequestsOf(page), {
    list: async () => list(),
    create: () => new Promise<WireMark>((resolve) => void answers.push(resolve)),
    readLabels: async () => ({ scheme: { classes: [] }, etag: '"0"' }),
    readJournal: async () => ({ state: 'on', error: null, folder: null, searched: true, kept: null, unread: [] }),
    wait: () => new Promise(() => {}),
  });
  libraryOf(page).setState({ connection: 'live', files: [createFileRecord(0)] });
  syncMarks(page);
  return { page, answer: (made) => answers[0]?.(made) };
}

function settle(): Promise<void> {
  return new Promise((resume) => setTimeout(resume, 5));
}
