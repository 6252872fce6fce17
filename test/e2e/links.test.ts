import { expect, test } from 'vitest';
import { writeZip } from '../support/writeArchive.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openTab } from '../support/browser.ts';
import { serveShared, serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, showsImage } from '../support/viewerPage.ts';

/** Prefix of the UIDs that `writeSlice` assigns, without the number of the image. */
const UID = '1.2.826.0.1.3680043.10.67';

function writeStack(count: number, series = 1): Uint8Array[] {
  return Array.from({ length: count }, (_, number) => writeSlice({ number, series }));
}

test('the address names the image on screen by its UID, and a reload shows the same view', async () => {
  const server = await serveShared(...writeStack(4));
  const { page } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  await expect.poll(() => page.url()).toBe(`${server.baseUrl}/#cell=${UID}.1.1,1`);

  await page.getByRole('slider').fill('2');
  await page.keyboard.press('3');
  await page.getByRole('tab', { name: 'Marks' }).click();
  await expect.poll(() => page.url()).toBe(`${server.baseUrl}/#cell=${UID}.1.3,1,350w2000&tab=marks`);

  await page.reload();
  await showsImage(page, 2);
  await page.getByText('W 2000 L 350').waitFor();
  expect(await page.getByRole('tab', { name: 'Marks' }).getAttribute('aria-selected')).toBe('true');
});

test('going back leads to the previous series, not to the previous slice', async () => {
  const server = await serveShared(...writeStack(3), ...writeStack(3, 2));
  const { page } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  await page.getByRole('slider').fill('1');
  await expect.poll(() => page.url()).toContain(`${UID}.1.2,1`);

  await page.getByRole('treeitem', { name: '2 · Series 2' }).click();
  await expect.poll(() => page.url()).toContain(`${UID}.2.1,1`);
  await page.goBack();

  await page.getByRole('figure', { name: 'CT Series 1' }).waitFor();
  await showsImage(page, 1);
  await page.goForward();
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();
});

test('a link shows the same cells in another browser', async () => {
  const server = await serveShared(...writeStack(3), ...writeStack(3, 2));
  const { page } = await openTab(server);

  await page.goto(`${server.baseUrl}/#layout=2x1&active=2&cell=${UID}.2.3,1&cell=${UID}.1.2,1,full`);

  await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor();
  await page.locator('html[data-parts="all"] [data-cell="1"][data-status="ready"]').waitFor();
  await page.getByRole('slider').waitFor();
  const shown = await page
    .locator('[data-cell]')
    .evaluateAll((cells) => cells.map((cell) => [cell.getAttribute('aria-label'), cell.getAttribute('data-shown')]));
  expect(shown).toEqual([
    ['CT Series 2', '2'],
    ['CT Series 1', '1'],
  ]);
  expect(await page.getByRole('button', { name: 'Window presets' }).textContent()).toBe('Full range');
});

test('a link to an image that is not open says so, and the first image is shown', async () => {
  const server = await serveShared(...writeStack(2));
  const { page } = await openTab(server);

  await page.goto(`${server.baseUrl}/#cell=1.2.3.4,1`);

  await showsImage(page);
  expect(await page.getByRole('alert').textContent()).toBe(
    'The link refers to an image that is not among the open files.',
  );
});

test('a link may carry the token and the view', async () => {
  const server = await serveWith({ inputs: writeStack(2), server: { tokenMode: 'required' } });
  const { page, requests } = await openTab(server);

  await page.goto(`${server.baseUrl}/#token=${server.token}&cell=${UID}.1.2,1`);

  await page.getByRole('slider').waitFor();
  await showsImage(page, 1);
  expect(page.url()).toBe(`${server.baseUrl}/#cell=${UID}.1.2,1`);
  expect(requests.slice(1).filter((url) => url.includes(server.token ?? ''))).toEqual([]);
});

test('with linked windows, the window of one cell applies to all', async () => {
  const server = await serveShared(...writeStack(2), ...writeStack(2, 2));
  const { page } = await openViewer(server, { address: `#layout=1x2&cell=${UID}.1.1,1&cell=${UID}.2.1,1` });
  await page.locator('html[data-parts="all"] [data-cell="1"][data-status="ready"]').waitFor();

  await page.keyboard.press('Alt+4');
  await page.getByRole('button', { name: 'Link windows' }).click();
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('3');

  await page.locator('[data-cell="1"]').getByText('W 2000 L 350').waitFor();
  await expect.poll(() => page.url()).toContain(`cell=${UID}.1.1,1,350w2000&cell=${UID}.2.1,1,350w2000`);
});

test('zoom, pan, rotation, flip, invert and links of cells are in the address, and a reload shows them', async () => {
  const server = await serveShared(...writeStack(2), ...writeStack(2, 2));
  const { page } = await openViewer(server, { address: `#layout=1x2&cell=${UID}.1.1,1&cell=${UID}.2.1,1` });
  await page.locator('html[data-parts="all"] [data-cell="1"][data-status="ready"]').waitFor();
  await page.keyboard.press('Alt+4');
  await page.getByRole('button', { name: 'Link windows' }).click();
  await page.locator('[data-cell="0"]').focus();
  for (const key of ['\\', '+', 'Alt+r', 'h', 'i']) await page.keyboard.press(key);
  const box = await page.locator('[data-cell="0"]').boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  await drag(page, [x, y], [x + 30, y]);
  // 1:1, zoomed in once. The drag with the window tool has changed the width in both cells by 30, from 300.
  await expect.poll(() => page.url()).toMatch(/1\.1,1,50w330,1\.25,90hi&cell=[^&]+&link=window$/);
  const address = page.url();
  const texts = await page.locator('[data-cell="0"]').innerText();

  await page.reload();
  await page.locator('html[data-parts="all"] [data-cell="1"][data-status="ready"]').waitFor();

  await expect.poll(() => page.locator('[data-cell="0"]').innerText()).toBe(texts);
  expect(page.url()).toBe(address);
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('p');
  await drag(page, [x, y], [x + 30, y]);
  await expect.poll(() => page.url()).toMatch(/,-?[\d.]+_-?[\d.]+_1\.25,90hi/);
});

/** Copies differ in what their series is called, so that the page shows which one is open. */
function writeCopy(series: number, different: { SOPInstanceUID?: string } = { SOPInstanceUID: '2.25.1' }): Uint8Array {
  return writeSlice({ number: 0, series }, { SOPInstanceUID: undefined, ...different });
}

test('copies, and images without a UID, have addresses that open exactly them', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a/one.dcm', writeCopy(1));
  writeBelow(folder, 'b/one.dcm', writeCopy(2));
  writeBelow(folder, 'c/one.dcm', writeCopy(3, {}));
  const zip = writeZip([
    { name: 'x/one.dcm', bytes: writeCopy(4) },
    { name: 'y/one.dcm', bytes: writeCopy(5) },
    // Two members may have the same name.
    { name: 'y/one.dcm', bytes: writeCopy(6) },
  ]);
  writeBelow(folder, 'd.zip', zip);
  const { page } = await openViewer(await serveWith({ inputs: [folder] }));
  const shows = (series: number) => page.getByRole('figure', { name: `CT Series ${series}` }).waitFor();
  const addresses: string[] = [];
  for (const series of [1, 2, 3, 4, 5, 6]) {
    await page.getByRole('treeitem', { name: `${series} · Series ${series}` }).click();
    await shows(series);
    await expect.poll(() => addresses.includes(page.url())).toBe(false);
    addresses.push(page.url());
    await page.reload();
    await shows(series);
    await showsImage(page);
    expect(page.url()).toBe(addresses.at(-1));
  }

  for (const series of [5, 4, 3, 2, 1]) {
    await page.goBack();
    await shows(series);
  }
  for (const series of [2, 3, 4, 5, 6]) {
    await page.goForward();
    await shows(series);
  }
  for (const [at, address] of addresses.entries()) {
    await page.goto('about:blank');
    await page.goto(address);
    await shows(at + 1);
  }
});
