import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { openInCell } from './cells.ts';
import { setImageOnScreen, waitForFirstImage } from './firstImage.ts';
import { libraryOf, stackOf } from './library.ts';
import { createPage, type Page } from './page.ts';

const IMAGE = createFileRecord(0, { sop_instance_uid: '1.0', support_state: 'renderable', frame_count: 1 });
const REPORT = createFileRecord(1, { sop_instance_uid: '1.1', support_state: 'metadata_only', frame_count: 0 });

/** With timers that never fire, only what the page knows ends the wait. */
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function createOpenPage(): Page {
  const page = createPage();
  libraryOf(page).setState({ files: [IMAGE, REPORT] });
  return page;
}

async function isWaiting(page: Page, change: () => void = () => {}): Promise<boolean> {
  let waits = true;
  const ending = new AbortController();
  void waitForFirstImage(page, ending.signal).then(() => (waits = false));
  change();
  await vi.advanceTimersByTimeAsync(0);
  const found = waits;
  ending.abort();
  return found;
}

test('other requests wait for the first image, until it is on screen', async () => {
  const page = createOpenPage();
  openInCell(page, 0, stackOf(page, IMAGE).id);
  expect(await isWaiting(page)).toBe(true);
  expect(await isWaiting(page, () => setImageOnScreen(page, true))).toBe(false);
});

test('nothing waits for an image if the cell is opened on a file without one', async () => {
  const page = createOpenPage();
  expect(await isWaiting(page)).toBe(true);
  expect(await isWaiting(page, () => openInCell(page, 0, stackOf(page, REPORT).id))).toBe(false);
});

test('an image in another cell is waited for, even if one cell shows a file without one', async () => {
  const page = createOpenPage();
  openInCell(page, 0, stackOf(page, REPORT).id);
  openInCell(page, 1, stackOf(page, IMAGE).id);
  expect(await isWaiting(page)).toBe(true);
});
