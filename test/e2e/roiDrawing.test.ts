import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RoiBox } from '../../src/shared/contract/annotations.ts';
import { expectBoxes, storedRois, writeRoiImage } from '../support/roiFiles.ts';
import { serve } from '../support/serve.ts';
import { drag, type ImageSize, openViewer, projectionOf, settle, type View } from '../support/viewerPage.ts';

const SQUARE: ImageSize = { rows: 60, columns: 80 };

/** Views of an image, each with the keys that lead to it from the whole image. */
const IMAGES: readonly { name: string; image: ImageSize; views: readonly (readonly [View, ...string[]])[] }[] = [
  {
    name: 'square pixels',
    image: SQUARE,
    views: [
      [{}],
      // Almost two screen pixels per column: 1.25 to the power of 3 is 1.953125.
      [{ zoom: 1.953125 }, '\\', '+', '+', '+'],
      [{ turns: 1 }, 'Alt+r'],
      [{ turns: 3 }, 'Alt+l'],
      [{ turns: 2 }, 'Alt+r', 'Alt+r'],
      [{ flipHorizontal: true }, 'h'],
      [{ turns: 1, flipVertical: true }, 'Alt+r', 'Shift+V'],
    ],
  },
  { name: 'pixels twice as high as wide', image: { rows: 40, columns: 60, aspect: 2 }, views: [[{}]] },
  {
    name: 'flat pixels',
    image: { rows: 90, columns: 50, aspect: 0.4 },
    views: [[{ turns: 1, flipHorizontal: true }, 'Alt+r', 'h']],
  },
];

test.each(IMAGES)(
  'a box on $name is drawn, moved and resized by each handle to exact pixels, in every view',
  async ({ image, views }) => {
    const server = await serve(writeRoiImage(image));
    const { page, cell, complaints } = await openViewer(server);
    await page.keyboard.press('r');

    for (const [view, ...keys] of views) {
      await page.keyboard.press('Shift+Escape');
      for (const key of keys) await page.keyboard.press(key);
      await settle(page);
      const at = await projectionOf(cell, image, view);

      // A user does not hit pixel edges exactly: a point a fifth of a pixel away snaps to the nearest edge.
      await drag(page, at(10.2, 12.1), at(29.8, 32.2));
      await expectBoxes(server, [[12, 10, 32, 30]]);

      // Move it by its inside, which works because a ROI is selected after it is drawn.
      await drag(page, at(20, 22), at(25.1, 18.9));
      await expectBoxes(server, [[9, 15, 29, 35]]);

      // [handle, its position, where it is dragged to, the box afterwards].
      const handles: readonly [string, [number, number], [number, number], RoiBox][] = [
        ['nw', [15, 9], [13, 8], [8, 13, 29, 35]],
        ['n', [24, 8], [24, 6], [6, 13, 29, 35]],
        ['ne', [35, 6], [37, 7], [7, 13, 29, 37]],
        ['e', [37, 18], [40, 18], [7, 13, 29, 40]],
        ['se', [40, 29], [38, 31], [7, 13, 31, 38]],
        ['s', [25.5, 31], [25.5, 28], [7, 13, 28, 38]],
        ['sw', [13, 28], [11, 30], [7, 11, 30, 38]],
        ['w', [11, 18.5], [14, 18.5], [7, 14, 30, 38]],
      ];
      for (const [handle, from, to, expected] of handles) {
        expect(await centerOf(cell.locator(`[data-handle="${handle}"]`))).toEqual(
          at(...from).map((n) => expect.closeTo(n, -0.5)),
        );
        await drag(page, at(...from), at(...to));
        await expectBoxes(server, [expected]);
      }

      await page.keyboard.press('Delete');
      await expectBoxes(server, []);
    }
    expect(complaints).toEqual([]);
  },
);

test('a box that is drawn beyond the image ends at its edge', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SQUARE, {});

  await drag(page, at(70, 50), at(84, 62));

  await expectBoxes(server, [[50, 70, 60, 80]]);
  expect(await cell.locator('[data-box="50 70 60 80"]').count()).toBe(1);
});

test('a box as small as one screen pixel stays exact when one screen pixel covers many image pixels', async () => {
  const image = { rows: 2000, columns: 2600 };
  const server = await serve(writeRoiImage(image));
  const { page, cell } = await openViewer(server, { height: 801 });
  await page.keyboard.press('r');
  const at = await projectionOf(cell, image, {});

  // The mouse moves in whole screen pixels, each of which covers several image pixels.
  const whole = (x: number, y: number): [number, number] => {
    const [left, top] = at(x, y);
    return [Math.round(left), Math.round(top)];
  };
  const [from, to] = [whole(1000, 800), whole(1500, 1400)];
  await drag(page, from, to);

  await expect.poll(async () => (await storedRois(server)).num_roi).toBe(1);
  const [box] = (await storedRois(server)).roi_coords;
  const [x0, y0] = at(0, 0);
  const pixel = 1000 / (at(1000, 0)[0] - x0);
  const expected = [from[1] - y0, from[0] - x0, to[1] - y0, to[0] - x0].map((distance) => distance * pixel);
  expect(box).toEqual(expected.map((value) => expect.closeTo(value, -0.5)));
  expect(box?.every(Number.isInteger)).toBe(true);
});

test('a ROI is deleted, restored by undo and removed by redo', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SQUARE, {});
  await drag(page, at(10, 10), at(20, 20));
  await drag(page, at(40, 30), at(50, 40));
  await expectBoxes(server, [
    [10, 10, 20, 20],
    [30, 40, 40, 50],
  ]);

  await page.keyboard.press('Delete');
  await expectBoxes(server, [[10, 10, 20, 20]]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, [
    [10, 10, 20, 20],
    [30, 40, 40, 50],
  ]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, [[10, 10, 20, 20]]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, []);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+Shift+Z');
  await expectBoxes(server, [[10, 10, 20, 20]]);
  expect(await cell.locator('[data-roi]').count()).toBe(1);
});

test('a click selects the smallest ROI under the pointer; a click outside and Esc clear the selection', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SQUARE, {});
  await drag(page, at(20, 20), at(30, 30));
  await drag(page, at(10, 10), at(50, 50));

  await page.mouse.click(...at(60, 5));
  expect(await handlesIn(cell)).toBe(0);
  await page.mouse.click(...at(25, 25));
  expect(await handlesIn(cell)).toBe(8);
  await page.keyboard.press('Delete');
  await expectBoxes(server, [[10, 10, 50, 50]]);
  await page.mouse.click(...at(15, 40));
  expect(await handlesIn(cell)).toBe(8);
  await page.keyboard.press('Escape');
  expect(await handlesIn(cell)).toBe(0);
});

test('Esc cancels the current gesture, and nothing is sent', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, cell, requests } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SQUARE, {});
  await drag(page, at(10, 10), at(30, 30));
  await expectBoxes(server, [[10, 10, 30, 30]]);
  const asked = requests.length;

  await page.mouse.move(...at(30, 30));
  await page.mouse.down();
  await page.mouse.move(...at(45, 45));
  await expect.poll(() => cell.locator('[data-box="10 10 45 45"]').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.mouse.up();

  await expect.poll(() => cell.locator('[data-box="10 10 30 30"]').count()).toBe(1);
  expect(requests.slice(asked).filter((url) => url.includes('annotations'))).toEqual([]);
  // The first Esc cancels the gesture only: the selection stays.
  expect(await handlesIn(cell)).toBe(8);
});

test('with another tool, a ROI is dragged by its edge, and a drag inside it uses the tool', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SQUARE, {});
  await drag(page, at(20, 20), at(40, 40));
  await page.keyboard.press('w');
  const windowBefore = await windowOf(cell);

  await drag(page, at(20, 25), at(25, 25));
  await expectBoxes(server, [[20, 25, 40, 45]]);
  expect(await windowOf(cell)).toBe(windowBefore);

  await drag(page, at(33, 30), at(40, 35));
  expect(await windowOf(cell)).not.toBe(windowBefore);
  await expectBoxes(server, [[20, 25, 40, 45]]);
});

test('without a mouse a ROI is added, moved edge by edge, and deleted', async () => {
  const server = await serve(writeRoiImage(SQUARE));
  const { page, complaints } = await openViewer(server);
  await page.getByRole('tab', { name: 'Marks' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Marks' }).press('Enter');

  await page.keyboard.press('Shift+R');
  // The new ROI leaves a quarter of the 60 rows and 80 columns free on each side.
  await expectBoxes(server, [[15, 20, 45, 60]]);
  await page.getByRole('textbox', { name: 'Left' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await expectBoxes(server, [[15, 31, 45, 60]]);
  await page.getByRole('textbox', { name: 'Bottom' }).fill('999');
  await page.keyboard.press('Enter');
  await expectBoxes(server, [[15, 31, 60, 60]]);
  await page.getByRole('button', { name: 'Delete ROI 1' }).press('Enter');
  await expectBoxes(server, []);
  expect(complaints).toEqual([]);
});

async function handlesIn(cell: Locator): Promise<number> {
  return cell.locator('[data-handle]').count();
}

async function windowOf(cell: Locator): Promise<string | undefined> {
  return /W \S+ L \S+/.exec(await cell.innerText())?.[0];
}

async function centerOf(handle: Locator): Promise<number[]> {
  const box = await handle.boundingBox();
  return box === null ? [] : [box.x + box.width / 2, box.y + box.height / 2];
}
