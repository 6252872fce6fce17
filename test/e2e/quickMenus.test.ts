import { expect, test } from 'vitest';
import { writeSlice } from '../support/sliceFiles.ts';
import { serveShared } from '../support/serve.ts';
import { openViewer } from '../support/viewerPage.ts';

test('menus that are opened and closed quickly complain about nothing', async () => {
  const server = await serveShared(...[0, 1, 2].map((number) => writeSlice({ number })));
  const { page, complaints } = await openViewer(server);
  const figure = page.locator('[data-cell="0"]');
  await figure.click({ button: 'right' });
  await page.getByRole('menu').waitFor();

  // At another place while it is open, and again before the page has drawn.
  await figure.evaluate(async (element) => {
    const { left, top } = element.getBoundingClientRect();
    for (let i = 0; i < 24; i += 1) {
      const at = { clientX: left + 40 + 7 * i, clientY: top + 40 + 5 * i };
      element.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2, ...at }));
      if (i % 3 === 0) await new Promise((done) => setTimeout(done, 0));
      if (i % 5 === 0) await new Promise((done) => requestAnimationFrame(done));
      if (i % 4 === 3) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    }
  });
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('menu').count()).toBe(0);

  // The menu still opens, and the entry of a window too.
  await figure.click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  expect(complaints).toEqual([]);
});
