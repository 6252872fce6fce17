import { expect, test } from 'vitest';
import { findViolationsInBoth } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';
import { serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

function writeStack(count: number, series = 1): Uint8Array[] {
  return Array.from({ length: count }, (_, number) => writeSlice({ number, series }));
}

test('axe-core finds nothing serious in the light and in the dark page', async () => {
  const server = await serveShared(...writeStack(3), ...writeStack(1, 2));
  const { page } = await openPage();
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.getByRole('slider').waitFor();
  await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().click();
  await page.getByRole('region', { name: 'Selected tag' }).waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);

  await page.keyboard.press('c');
  await page.getByRole('region', { name: 'Image', exact: true }).waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);

  await page.keyboard.press('g');
  await page.getByRole('treeitem', { name: 'Referenced by' }).waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);

  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard and mouse' }).waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Window presets' }).click();
  await page.getByRole('menuitemradio').first().waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);
}, 180_000);

test('everything can be reached and used with the keyboard alone', async () => {
  const server = await serveShared(...writeStack(3), ...writeStack(2, 2));
  const { page } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().waitFor();

  // Tabs once through the page: every stop has a name, and the regions follow the order of the page.
  const stops: string[] = [];
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      const part = element?.closest('header, nav, main, aside')?.tagName ?? '';
      const name = element?.getAttribute('aria-label') ?? element?.textContent ?? '';
      const outline = element === null ? '' : getComputedStyle(element).outlineStyle;
      return element === document.body ? '' : `${part}|${name}|${outline}`;
    });
    if (stop === '' || stop === stops[0]) break;
    stops.push(stop);
  }
  expect(stops.filter((stop) => stop.split('|')[1]?.trim() === '')).toEqual([]);
  expect([...new Set(stops.map((stop) => stop.split('|')[0]))]).toEqual(['HEADER', 'NAV', 'MAIN', 'ASIDE']);

  // Open a series with the tree.
  await page.getByRole('tree', { name: 'Patients and studies' }).focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();
  // Close and open a patient.
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('navigation').getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('navigation').getByRole('treeitem').count()).toBe(4);

  // Scroll the image.
  await page.getByRole('figure').focus();
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);

  // Choose from a menu, which returns the focus to its button.
  await page.getByRole('button', { name: 'Layout' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('1 × 1');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(2);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Layout');

  // Switch the tabs of the inspector.
  await page.getByRole('tab', { name: 'Tags' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('tab', { name: 'References' }).getAttribute('aria-selected')).toBe('true');
}, 180_000);

test('the page works without WebGL', async () => {
  const server = await serveShared(...writeStack(2));
  const { page, complaints } = await openPage();
  await page.addInitScript(() => {
    // oxlint-disable-next-line typescript/unbound-method -- the proxy binds it
    HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
      apply: (target, canvas, given: unknown[]) =>
        String(given[0]).startsWith('webgl') ? null : Reflect.apply(target, canvas, given),
    });
  });

  await page.goto(server.baseUrl);

  await showsImage(page);
  expect(complaints).toEqual([]);
});
