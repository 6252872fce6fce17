import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { openMeasuring, writeRamp } from '../support/measuring.ts';
import { serve, type TestServer } from '../support/serve.ts';

const MARKS = 400;
const COLUMNS = 20;

/** Corners of boxes of 6 x 4 pixels, in 20 columns. */
function placeOf(number: number): [number, number] {
  return [2 + (number % COLUMNS) * 9, 2 + Math.floor(number / COLUMNS) * 7];
}

async function addMarks(server: TestServer): Promise<void> {
  for (let number = 0; number < MARKS; number += 1) {
    const [x, y] = placeOf(number);
    await server.request('/api/marks', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        kind: 'box',
        place: { type: 'frame', file_index: 0, frame_index: 0 },
        points: [
          [x, y],
          [x + 6, y + 4],
        ],
        label: `Mark ${number}`,
      }),
    });
  }
}

test('of hundreds of marks, the list draws those in view, and keys and selected marks scroll it', async () => {
  const server = await serve(writeRamp());
  await addMarks(server);
  const { page, at, complaints } = await openMeasuring(server);
  await page.keyboard.press('Shift+M');
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  const rows = panel.getByRole('listitem');
  const row = (number: number) => panel.getByRole('button', { name: new RegExp(`^Mark ${number} Box`) });
  await row(0).waitFor();
  expect(await rows.count()).toBeLessThan(60);
  expect(await rows.first().getAttribute('aria-setsize')).toBe(String(MARKS));
  expect(await findViolations(page)).toEqual([]);

  // Rows that come into view have the focus in turn.
  await row(0).focus();
  for (let step = 0; step < 50; step += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(() => row(50).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await row(0).count()).toBe(0);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => row(49).evaluate((element) => element === document.activeElement)).toBe(true);

  // A mark that is pressed on the image is in view in the list, with what is below it.
  await page.keyboard.press('w');
  const [x, y] = placeOf(385);
  await page.mouse.click(...at(x + 3, y));
  await row(385).waitFor();
  const list = panel.locator('div:has(> div > ul)');
  const isInView = async () => {
    const [outer, inner] = [await list.boundingBox(), await row(385).boundingBox()];
    return outer !== null && inner !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
  };
  await expect.poll(isInView).toBe(true);
  await panel.getByRole('textbox', { name: 'Label' }).waitFor();

  // The end is reached by scrolling, and nothing jumps back to the selected mark.
  await list.hover();
  await page.mouse.wheel(0, 1_000_000);
  await row(MARKS - 1).waitFor();
  await list.evaluate((element) => element.scrollTo(0, 0));
  await row(0).waitFor();
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await row(200).waitFor();
  const before = await list.evaluate((element) => element.scrollTop);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(Math.abs((await list.evaluate((element) => element.scrollTop)) - before)).toBeLessThan(200);
  expect(complaints).toEqual([]);
});
