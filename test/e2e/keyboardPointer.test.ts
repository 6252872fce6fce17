import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { ctElements } from '../support/ctElements.ts';
import { findViolations } from '../support/axe.ts';
import { serve } from '../support/serve.ts';
import { openViewer } from '../support/viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.69.77';

function writeImage(): Uint8Array {
  const PixelData = Uint16Array.from({ length: 64 * 64 }, (_, i) => i % 64);
  return writeDicom(
    ctElements({
      SOPInstanceUID: `${UID}.1`,
      SeriesInstanceUID: UID,
      Rows: 64,
      Columns: 64,
      PixelSpacing: ['2', '2'],
      PixelData,
    }),
  );
}

/** Presses each key so often. Shift makes steps of 10 pixels. */
async function press(page: Page, ...keys: readonly (readonly [key: string, count: number])[]): Promise<void> {
  for (const [key, count] of keys) for (let n = 0; n < count; n++) await page.keyboard.press(key);
}

test('a length, a polygon and a stroke of the brush are drawn with keys alone', async () => {
  const server = await serve(writeImage());
  const listMarks = async (): Promise<WireMark[]> => (await (await server.request('/api/marks')).json()).marks;
  const { page, cell, complaints } = await openViewer(server);
  await cell.focus();
  // One pixel of the image is one of the screen.
  await press(page, ['\\', 1], ['l', 1], ['Alt+p', 1]);
  await page.locator('[data-pointer="keyboard"]').waitFor();
  expect(await findViolations(page)).toEqual([]);

  // From the middle 10 pixels to the right and 2 down, to 16 down.
  await press(page, ['Shift+ArrowRight', 1], ['ArrowDown', 2], ['Enter', 1]);
  await press(page, ['ArrowDown', 4], ['Shift+ArrowDown', 1], ['Enter', 1]);
  await expect.poll(async () => (await listMarks()).length).toBe(1);
  const [[fromX = 0, fromY = 0] = [], [toX = 0, toY = 0] = []] = (await listMarks())[0]!.points;
  expect([fromX, fromY].map((value) => Math.round(value))).toEqual([42, 34]);
  expect([toX - fromX, toY - fromY]).toEqual([expect.closeTo(0), expect.closeTo(14)]);

  // A first Escape gives up the press, and not the pointer.
  await press(page, ['Enter', 1], ['Shift+ArrowLeft', 1], ['Escape', 1], ['ArrowLeft', 1]);
  expect(await listMarks()).toHaveLength(1);

  // Corners are clicks: two presses of Enter. One more on the last corner ends the polygon.
  await press(page, ['Shift+O', 1], ['Shift+ArrowUp', 1], ['Enter', 2]);
  await press(page, ['Shift+ArrowLeft', 2], ['Enter', 2], ['Shift+ArrowDown', 1], ['Enter', 4]);
  await expect.poll(async () => (await listMarks()).map(({ kind }) => kind)).toEqual(['length', 'polygon']);
  expect((await listMarks())[1]?.points).toHaveLength(3);

  await press(page, ['Shift+B', 1], ['Shift+ArrowUp', 1], ['Enter', 1], ['ArrowRight', 8], ['Enter', 1]);
  await expect.poll(async () => (await listMarks()).map(({ kind }) => kind)).toContain('brush');

  await press(page, ['Escape', 1]);
  expect(await page.locator('[data-pointer="keyboard"]').count()).toBe(0);
  // Arrow keys are those of the image again, and nothing is pressed any more.
  expect(complaints).toEqual([]);
}, 180_000);
