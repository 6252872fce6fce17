import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { createFingers } from '../support/fingers.ts';
import { serveShared } from '../support/serve.ts';
import { levelOf, SLICE_COLUMNS, SLICE_ROWS, SLICE_WINDOW, valueAt, writeSlice } from '../support/sliceFiles.ts';
import { openViewer, projectionOf, settle, showsImage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };

test('on a high-density screen the canvas has one pixel per device pixel, and the image is where it should be', async () => {
  const server = await serveShared(writeSlice({ number: 3 }));
  const { page, complaints } = await openPage({ deviceScaleFactor: 2, viewport: { width: 1280, height: 800 } });
  await page.goto(server.baseUrl);
  await showsImage(page);
  const cell = page.locator('[data-cell="0"]');
  const at = await projectionOf(cell, IMAGE, {});
  const box = await cell.locator('canvas').boundingBox();
  // The middle of one image pixel, and points just inside its edges. At more than 20 CSS pixels per image pixel,
  // interpolation would show there.
  const [x, y] = [12, 8];
  const places = [at(x + 0.5, y + 0.5), at(x + 0.02, y + 0.5), at(x + 0.98, y + 0.98)].map(
    ([pageX, pageY]) => [pageX - (box?.x ?? 0), pageY - (box?.y ?? 0)] as const,
  );

  const seen = await cell.locator('canvas').evaluate((canvas, points) => {
    if (!(canvas instanceof HTMLCanvasElement)) throw new Error('not a canvas');
    const context = canvas.getContext('2d');
    const levels = points.map(([u, v]) => context?.getImageData(Math.floor(u * 2), Math.floor(v * 2), 1, 1).data[0]);
    return { width: canvas.width, height: canvas.height, levels };
  }, places);

  const level = levelOf(valueAt(3, x, y));
  expect(seen).toEqual({
    width: Math.round((box?.width ?? 0) * 2),
    height: Math.round((box?.height ?? 0) * 2),
    levels: [level, level, level],
  });
  expect(complaints).toEqual([]);
});

test('in a window of any size the pixels of the image align with those of the screen', async () => {
  const server = await serveShared(writeSlice({ number: 3 }));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('\\');
  for (const [width, height] of [
    [1280, 800],
    [1281, 801],
    [1280, 801],
    [1281, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await settle(page);
    const at = await projectionOf(cell, IMAGE, { zoom: 1 });
    const box = await cell.locator('canvas').boundingBox();
    const [left, top] = at(0, 0).map((edge, i) => edge - ((i === 0 ? box?.x : box?.y) ?? 0));
    const row = await cell.locator('canvas').evaluate(
      (canvas, [x, y, columns]) => {
        if (!(canvas instanceof HTMLCanvasElement)) throw new Error('not a canvas');
        const { data } = canvas.getContext('2d')?.getImageData(x, y, columns, 1) ?? {};
        return Array.from({ length: columns }, (_, i) => data?.[4 * i]);
      },
      [left ?? 0, (top ?? 0) + 8, SLICE_COLUMNS] as const,
    );

    expect([left, top].every(Number.isInteger)).toBe(true);
    expect({ width, height, row }).toEqual({
      width,
      height,
      row: Array.from({ length: SLICE_COLUMNS }, (_, x) => levelOf(valueAt(3, x, 8))),
    });
  }
});

test('one finger uses the tool; a second finger cancels that and moves the image instead', async () => {
  const server = await serveShared(writeSlice({ number: 0 }));
  const { page } = await openPage({ hasTouch: true, viewport: { width: 1280, height: 800 } });
  await page.goto(server.baseUrl);
  await showsImage(page);
  const cell = page.locator('[data-cell="0"]');
  const box = await cell.boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  const touch = await createFingers(page);
  const texts = async () => (await cell.locator('p').allTextContents()).join('\n');
  await expect.poll(texts).toContain(`W ${SLICE_WINDOW.width} L ${SLICE_WINDOW.center}`);

  // Dragging right by 300 pixels widens the window by its width.
  await touch('touchStart', [x, y]);
  for (const step of [20, 60, 100]) await touch('touchMove', [x + step, y]);
  await touch('touchEnd');
  await expect.poll(texts).toContain('W 400 L 50');

  await touch('touchStart', [x, y]);
  await touch('touchMove', [x + 75, y]);
  await expect.poll(texts).toContain('W 500 L 50');
  await touch('touchStart', [x + 75, y], [x + 175, y]);
  await expect.poll(texts).toContain('W 400 L 50');
  for (const step of [10, 30, 50]) await touch('touchMove', [x + 75 - step, y], [x + 175 + step, y]);
  await touch('touchEnd');

  // The fingers are twice as far apart as at the start.
  const at = await projectionOf(cell, IMAGE, {});
  const fit = at(1, 0)[0] - at(0, 0)[0];
  await expect.poll(texts).toContain(`Zoom ${Math.round(fit * 2 * 100)} %`);
  expect(await texts()).toContain('W 400 L 50');
});

test('text over an image in a small cell stays inside it and leaves the image visible', async () => {
  const long = {
    PatientName: 'Wolfeschlegelsteinhausenbergerdorff^Hubert Blaine',
    StudyDescription: 'Abdomen and pelvis with and without contrast, delayed phase',
    SeriesDescription: 'Portal venous phase, thin slices, soft kernel',
  };
  // A slice is missing after the third, so that the cell has a warning.
  const server = await serveShared(...[0, 1, 2, 4, 5].map((number) => writeSlice({ number }, long)));
  const { page } = await openPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.baseUrl}/#layout=3x3`);
  await showsImage(page);
  const cell = page.locator('[data-cell="0"]');
  const badge = cell.locator('summary', { hasText: 'warning' });
  await badge.waitFor();

  const [outer, patient, series, warning] = await Promise.all(
    [cell, cell.getByText('Wolfeschlegel'), cell.getByText('Portal venous'), badge].map((one) => one.boundingBox()),
  );
  if (!outer || !patient || !series || !warning) throw new Error('something is not on the page');

  expect(patient.x + patient.width).toBeLessThan(series.x);
  for (const { x, y, width, height } of [patient, series, warning]) {
    expect(x).toBeGreaterThanOrEqual(outer.x);
    expect(x + width).toBeLessThanOrEqual(outer.x + outer.width);
    // Three lines take less than a quarter of the cell.
    expect(height).toBeLessThan(outer.height / 4);
    expect(y + height).toBeLessThanOrEqual(outer.y + outer.height);
  }
});

test('a printed page has the images with their texts on one sheet, and no controls', async () => {
  const server = await serveShared(...[0, 1, 2].map((number) => writeSlice({ number })));
  const { page, cell } = await openViewer(server, { width: 1366, height: 768 });
  const before = await cell.boundingBox();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  for (const role of ['banner', 'navigation', 'complementary', 'contentinfo', 'slider'] as const)
    await page.getByRole(role).first().waitFor({ state: 'hidden' });
  expect(await cell.getByText(/^W \d+ L/).isVisible()).toBe(true);
  const after = await cell.boundingBox();
  expect([after?.x, after?.y]).toEqual([0, 0]);
  expect(after?.width).toBeLessThanOrEqual(980);
  expect((after?.width ?? 0) / (after?.height ?? 1)).toBeCloseTo((before?.width ?? 0) / (before?.height ?? 1), 2);

  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
});
