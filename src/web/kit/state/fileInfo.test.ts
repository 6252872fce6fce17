import { afterEach, expect, test, vi } from 'vitest';
import { holdAnswers } from '../../../../test/support/heldAnswers.ts';
import { findInfo, loadInfo } from './fileInfo.ts';
import { createPage } from './page.ts';

const NEVER_ABORTED = new AbortController().signal;

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the info of a file is requested once', async () => {
  const answers = holdAnswers();
  const page = createPage();
  const loading = loadInfo(page, 3, NEVER_ABORTED);
  answers[0]?.({ frame_count: 7 });
  expect(await loading).toEqual({ frame_count: 7 });
  expect(await loadInfo(page, 3, NEVER_ABORTED)).toEqual({ frame_count: 7 });
  expect(answers).toHaveLength(1);
});

test('an answer of an earlier run of the server is not kept, because its file index means another file now', async () => {
  const answers = holdAnswers();
  const page = createPage();
  const loading = loadInfo(page, 3, NEVER_ABORTED);
  page.restart();
  answers[0]?.({ frame_count: 7 });
  expect(await loading).toBeUndefined();
  expect(findInfo(page, 3)).toBeUndefined();
});

test('a request of the new run is answered although one of the earlier run was in flight', async () => {
  const answers = holdAnswers();
  const page = createPage();
  const earlier = loadInfo(page, 3, NEVER_ABORTED);
  page.restart();
  const later = loadInfo(page, 3, NEVER_ABORTED);
  answers[1]?.({ frame_count: 9 });
  answers[0]?.({ frame_count: 7 });
  expect(await Promise.all([earlier, later])).toEqual([undefined, { frame_count: 9 }]);
  expect(findInfo(page, 3)).toEqual({ frame_count: 9 });
});
