import { createServer, request as httpRequest } from 'node:http';
import type { Page, Route } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serve, serveShared, serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

function writeStack(count: number, series = 1): Uint8Array[] {
  return Array.from({ length: count }, (_, number) => writeSlice({ number, series }));
}

function cellLabels(page: Page): Promise<(string | null)[]> {
  return page.locator('[data-cell]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
}

test('a layout is chosen in the toolbar, and a cell can be maximised and restored', async () => {
  const server = await serveShared(...writeStack(2));
  const { page } = await openViewer(server);

  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('button', { name: '2 × 3' }).click();
  expect(await cellLabels(page)).toHaveLength(6);

  await page.locator('[data-cell="0"]').dblclick();
  await expect.poll(() => cellLabels(page)).toHaveLength(1);
  await page.locator('[data-cell="0"]').dblclick();
  await expect.poll(() => cellLabels(page)).toHaveLength(6);
});

test('the image does not move while the rest of the page loads or when a notice appears', async () => {
  const server = await serve(...writeStack(2));
  const { page } = await openPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  const held: Route[] = [];
  const rest = /(Toolbar|Scrubber|Explorer|Inspector|RoiNotices)-.*\.js$/;
  await page.route(rest, (route) => void held.push(route));
  await page.goto(`${server.baseUrl}/#cell=1.2.3.4,1`);
  await showsImage(page);
  const cell = page.locator('[data-cell="0"]');
  const before = await cell.boundingBox();

  await page.unroute(rest);
  await Promise.all(held.map((route) => route.continue()));
  await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
  await page.getByRole('tab', { name: 'Tags' }).waitFor();
  await page.getByText('The link refers to an image that is not among the open files.').waitFor();
  expect(await cell.boundingBox()).toEqual(before);

  await server.close();
  await page.getByText('Connection to negato lost.').waitFor();
  expect(await cell.boundingBox()).toEqual(before);
});

test('the window menu offers what the file declares, the full range and the CT windows', async () => {
  const server = await serve(
    writeSlice(
      { number: 0 },
      { WindowCenter: ['50', '-600'], WindowWidth: ['300', '1500'], WindowCenterWidthExplanation: ['Own', 'Second'] },
    ),
  );
  const { page } = await openViewer(server);
  const menu = page.getByRole('button', { name: 'Window presets' });

  await menu.click();
  await page.getByRole('menuitemradio', { name: 'Second' }).waitFor();
  expect(await page.getByRole('menuitemradio').evaluateAll((items) => items.map((item) => item.textContent))).toEqual([
    'File’s own: Own300/500',
    'Second1500/-6002',
    'Full range`',
    'Soft tissue400/401',
    'Bone2000/3503',
    'Brain80/404',
    'Mediastinum400/805',
    'Liver150/906',
    'Stroke40/407',
    'Angio600/3008',
  ]);
  await page.keyboard.press('Escape');
  expect(await menu.textContent()).toBe('File’s own');
  // The window of a key is not listed twice.
  await page.keyboard.press('2');
  await page.getByText('W 1500 L -600').waitFor();
  await menu.click();
  expect(await page.getByRole('menuitemradio', { checked: true }).allTextContents()).toEqual(['Second1500/-6002']);
  await page.getByRole('menuitemradio', { name: 'Bone' }).click();
  expect(await menu.textContent()).toBe('Bone');
  await page.getByText('W 2000 L 350').waitFor();
});

test('the palette finds a series, a command and a tag', async () => {
  const server = await serveShared(...writeStack(2), ...writeStack(2, 2));
  const { page } = await openViewer(server);
  const find = async (words: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a series, tag or command' }).fill(words);
    await page.getByRole('option').first().waitFor();
  };

  await find('jane series 2');
  await page.keyboard.press('Enter');
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();

  await find('invert');
  await page.keyboard.press('Enter');
  await page.getByText('inverted').waitFor();

  await find('SliceThickness');
  await page.getByRole('option', { name: 'in tags' }).click();
  await page.getByRole('tree', { name: 'Tags' }).getByText('Slice Thickness').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the key sheet opens with ? and closes with Esc', async () => {
  const server = await serveShared(...writeStack(1));
  const { page } = await openViewer(server);

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard and mouse' }).getByText('Soft tissue (CT, 400/40)').waitFor();
  await page.keyboard.press('Escape');

  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('a dialog that Esc closes is gone before the key is released, and the next key is not lost', async () => {
  const server = await serveShared(...writeStack(1));
  const { page } = await openViewer(server);
  await page.evaluate(() => {
    const gone: boolean[] = [];
    Object.assign(globalThis, { gone });
    addEventListener('keyup', ({ key }) => {
      if (key === 'Escape') gone.push(document.querySelector('dialog') === null);
    });
  });

  for (let i = 0; i < 5; i++) {
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard and mouse' }).waitFor();
    await page.keyboard.press('Escape');
  }

  expect(await page.evaluate('gone')).toEqual(Array.from({ length: 10 }, () => true));
});

test('keys that are typed into a field are text', async () => {
  const server = await serveShared(...writeStack(1));
  const { page } = await openViewer(server);

  await page.getByRole('combobox', { name: 'Filter files' }).pressSequentially('i?bh');

  expect(await page.getByRole('combobox', { name: 'Filter files' }).inputValue()).toBe('i?bh');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByText('inverted').count()).toBe(0);
});

test('the theme is chosen by the user, else by the system, and the image area stays dark', async () => {
  const server = await serveShared(...writeStack(1));
  const { page } = await openPage({ colorScheme: 'light' });
  await page.goto(server.baseUrl);
  await showsImage(page);
  const colorOf = (selector: string) =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  const colors = async () => ({ page: await colorOf('[role=toolbar]'), image: await colorOf('[data-cell]') });

  expect(await colors()).toEqual({ page: 'rgb(255, 255, 255)', image: 'rgb(0, 0, 0)' });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Switch theme' }).click();
  expect(await colors()).toEqual({ page: 'rgb(27, 32, 39)', image: 'rgb(0, 0, 0)' });
  await page.reload();
  await showsImage(page);
  expect((await colors()).page).toBe('rgb(27, 32, 39)');
});

test('on a narrow page the panels are drawers that begin closed', async () => {
  const server = await serveShared(...writeStack(1));
  const { page } = await openViewer(server, { width: 760, height: 900 });
  expect(await page.getByRole('navigation').count()).toBe(0);
  const before = await page.locator('[data-cell="0"]').boundingBox();
  expect(before?.width).toBe(760);

  await page.getByRole('button', { name: 'Toggle explorer' }).click();

  await page.getByRole('navigation').getByRole('treeitem').first().waitFor();
  expect(await page.locator('[data-cell="0"]').boundingBox()).toEqual(before);
});

test('a stopped server is reported; after a restart its files are read again and the view is kept', async () => {
  const server = await serve(...writeStack(3));
  const { page } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  await page.keyboard.press('End');
  await showsImage(page, 2);
  await expect.poll(() => page.url()).toContain('67.1.3,1');

  await server.close();
  await page.getByText('Connection to negato lost').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();

  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  // The same images in another order, with one more, so that they have other file numbers.
  await serveWith({ inputs: [...writeStack(1, 2), ...writeStack(3).toReversed()], server: { listen } });
  await page.getByText('negato was restarted').waitFor();
  await page.getByRole('slider').waitFor();

  await showsImage(page, 2);
  expect(await page.getByRole('figure').first().getAttribute('aria-label')).toBe('CT Series 1');
  expect(await page.getByRole('treeitem', { name: /Series \d CT/ }).count()).toBe(2);
  expect(await page.getByText('Connection to negato lost').count()).toBe(0);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  expect(await page.getByText('negato was restarted').count()).toBe(0);
});

test('a failed import of annotations is a notice with the reason', async () => {
  const server = await serveWith({ inputs: [writeSlice({ number: 0 })] });
  const { page } = await openPage();
  await page.route('**/api/files?*', async (route) => {
    const response = await route.fetch();
    const body = {
      ...(await response.json()),
      annotations: { import_state: 'failed', error: 'rois.csv, line 3: no JSON' },
    };
    await route.fulfill({ response, json: body });
  });
  await page.goto(server.baseUrl);

  await page.getByText('No annotations were imported').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('No annotations were imported. rois.csv, line 3: no JSON');
});

test('the page works behind a path prefix', async () => {
  const server = await serve(...writeStack(2));
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/deep/prefix/')) {
      outgoing.writeHead(404).end();
      return;
    }
    // Keep the Host header of the browser, because the server compares it with the origin.
    const { method, headers } = incoming;
    const target = { host: '127.0.0.1', port: server.port, path: incoming.url.slice('/deep/prefix'.length) };
    const forwarded = httpRequest({ ...target, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    // When the page is closed, either side may reset a connection first.
    for (const side of [incoming, outgoing, forwarded]) side.on('error', () => side.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((settle) => proxy.listen(0, '127.0.0.1', settle));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { page, complaints } = await openPage();

  await page.goto(`http://127.0.0.1:${port}/deep/prefix/`);

  await showsImage(page);
  await page.getByRole('treeitem', { name: /Series 1 CT/ }).waitFor();
  await page.getByRole('tree', { name: 'Tags' }).getByText('Slice Thickness').waitFor();
  expect(complaints).toEqual([]);
});
