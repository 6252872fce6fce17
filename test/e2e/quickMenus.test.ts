import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeSlice } from '../support/sliceFiles.ts';
import { serve, serveShared } from '../support/serve.ts';
import { drag, openViewer } from '../support/viewerPage.ts';

function writeStack(): Uint8Array[] {
  return [0, 1, 2].map((number) => writeSlice({ number }));
}

/** Opens the menu of the picture at many places, with what else is opened, and closes some of it before it is drawn. */
function openQuickly(page: Page, other?: string): Promise<void> {
  return page.locator('[data-cell="0"]').evaluate(async (element, selector) => {
    const { left, top } = element.getBoundingClientRect();
    for (let i = 0; i < 24; i += 1) {
      const at = { clientX: left + 40 + 7 * i, clientY: top + 40 + 5 * i };
      element.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2, ...at }));
      if (i % 3 === 0) await new Promise((done) => setTimeout(done, 0));
      if (selector !== undefined && i % 2 === 0) element.querySelector<HTMLElement>(selector)?.click();
      if (i % 5 === 0) await new Promise((done) => requestAnimationFrame(done));
      if (i % 4 === 3) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    }
  }, other);
}

test('menus that are opened and closed quickly complain about nothing', async () => {
  const server = await serveShared(...writeStack());
  const { page, cell, complaints } = await openViewer(server);
  await cell.click({ button: 'right' });
  await page.getByRole('menu').waitFor();

  await openQuickly(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('menu').count()).toBe(0);

  // The menu still opens.
  await cell.click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  expect(complaints).toEqual([]);
});

test('so do the fields of a window', async () => {
  const server = await serveShared(...writeStack());
  const { page, cell, complaints } = await openViewer(server);
  const fields = page.getByRole('dialog', { name: 'Window' });
  const button = '[title^="Enter center and width"]';
  await cell.locator(button).click();
  await fields.waitFor();

  await openQuickly(page, button);
  for (let i = 0; i < 6; i += 1) {
    await page.keyboard.press('Escape');
    await cell.focus();
    await page.keyboard.press('Shift+L');
  }
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('Escape');
  await expect.poll(() => fields.or(page.getByRole('menu')).count()).toBe(0);

  await cell.focus();
  await page.keyboard.press('Shift+L');
  await fields.waitFor();
  expect(await fields.getByLabel('Center').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(complaints).toEqual([]);
});

test('so does the field for the text of an arrow', async () => {
  const server = await serve(...writeStack());
  const { page, cell, complaints } = await openViewer(server);
  const field = page.getByRole('textbox', { name: 'Text of the arrow' });
  const box = (await cell.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await cell.focus();
  await page.keyboard.press('Shift+A');
  for (let i = 0; i < 4; i += 1) {
    await drag(page, [x - 60, y + 12 * i - 80], [x + 60, y + 12 * i - 80]);
    await openQuickly(page);
    await page.keyboard.press('Escape');
  }
  await expect.poll(() => field.or(page.getByRole('menu')).count()).toBe(0);

  await drag(page, [x - 60, y + 60], [x + 60, y + 60]);
  await field.fill('Here');
  await page.keyboard.press('Enter');
  await cell.getByText('Here').waitFor();
  expect(complaints).toEqual([]);
});
