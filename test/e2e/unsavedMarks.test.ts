import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { at as addressOf, middleOf, openOwnPyramid, showsSlide } from '../support/slidePage.ts';
import { halvings } from '../support/slidePyramid.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { drag, isHeld, openViewer, projectionOf, type ViewerPage } from '../support/viewerPage.ts';
import { openTab } from '../support/browser.ts';

const IMAGE = { rows: SLICE_SIZE, columns: SLICE_SIZE };
const SLOW = { timeout: 30_000 };
const MARKS = /\/api\/marks?(\/\d+)?(\?.*)?$/;

async function marksOf(server: TestServer): Promise<readonly WireMark[]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks')).json();
  return marks;
}

/** The pixels of all masks on one frame, as `x y`. */
async function paintedOn(server: TestServer, fileIndex: number): Promise<readonly string[]> {
  const slices = (await marksOf(server)).flatMap((mark) => mark.slices);
  return slices
    .flatMap(({ file_index, mask }) => (file_index === fileIndex && mask !== undefined ? pixelsOf(mask) : []))
    .toSorted();
}

function pixelsOf({ left, top, width, runs }: NonNullable<WireMark['slices'][number]['mask']>): readonly string[] {
  const pixels: string[] = [];
  let at = 0;
  for (const [n, run] of runs.entries()) {
    for (const end = at + run; at < end; at += 1) {
      if (n % 2 === 1) pixels.push(`${left + (at % width)} ${top + Math.floor(at / width)}`);
    }
  }
  return pixels;
}

/** The pixels of a row. */
function row(y: number, from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => `${from + n} ${y}`);
}

/** Changes of marks do not arrive until the returned function is called. */
async function failToSave(page: Page): Promise<() => Promise<void>> {
  await page.route(MARKS, (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()));
  return () => page.unroute(MARKS);
}

/** Changes of marks wait until the returned function is called. */
async function holdSaves(page: Page): Promise<() => void> {
  const held = new AbortController();
  const released = once(held.signal, 'abort');
  await page.route(MARKS, async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue();
  });
  return () => held.abort();
}

/** One pixel wide. */
async function takeBrush({ page, cell }: Pick<ViewerPage, 'page' | 'cell'>): Promise<void> {
  await page.keyboard.press('Shift+M');
  await page.keyboard.press('Shift+B');
  await page.getByRole('slider', { name: 'Radius' }).fill('0.5');
  await cell.focus();
}

async function chooseMask({ page, cell }: Pick<ViewerPage, 'page' | 'cell'>): Promise<void> {
  await page.getByRole('region', { name: 'Marks', exact: true }).getByRole('button', { name: /^Mask/ }).first().click();
  await cell.focus();
}

test('marks and strokes that are not saved hold the tab until they are', async () => {
  const server = await serve(...writeSlices(1));
  const viewer = await openViewer(server);
  const { page, cell } = viewer;
  const at = await projectionOf(cell, IMAGE, {});
  await takeBrush(viewer);
  expect(await isHeld(page)).toBe(false);

  const save = await failToSave(page);
  await drag(page, at(5.5, 5.5), at(10.5, 5.5));
  await page.getByText('Marks are not saved yet').waitFor();
  expect(await isHeld(page)).toBe(true);
  const asked = page.waitForEvent('dialog');
  void page.close({ runBeforeUnload: true });
  expect((await asked).type()).toBe('beforeunload');
  await save();
  await expect.poll(() => paintedOn(server, 0), SLOW).toEqual(row(5, 5, 10).toSorted());
  await expect.poll(() => isHeld(page), SLOW).toBe(false);

  await page.keyboard.press('l');
  const saveAgain = await failToSave(page);
  const now = await projectionOf(cell, IMAGE, {});
  await drag(page, now(5, 20), now(15, 20));
  await page.getByText('Marks are not saved yet').waitFor();
  expect(await isHeld(page)).toBe(true);
  await saveAgain();
  await expect.poll(async () => (await marksOf(server)).map(({ kind }) => kind), SLOW).toEqual(['brush', 'length']);
  await expect.poll(() => isHeld(page), SLOW).toBe(false);
});

test('after a restart of the server, marks and strokes that it had not received are sent to the same files', async () => {
  const folder = createTempFolder();
  const [first, second] = writeSlices(2);
  writeBelow(folder, 'b.dcm', second);
  const server = await serve(folder);
  const viewer = await openViewer(server);
  const { page, cell } = viewer;
  let at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('l');
  await drag(page, at(5, 25), at(15, 25));
  await expect.poll(async () => (await marksOf(server)).length, SLOW).toBe(1);
  await takeBrush(viewer);
  await drag(page, at(5.5, 5.5), at(10.5, 5.5));
  await expect.poll(() => paintedOn(server, 0), SLOW).toEqual(row(5, 5, 10).toSorted());

  const save = await failToSave(page);
  await drag(page, at(5.5, 9.5), at(10.5, 9.5));
  await page.getByText('Marks are not saved yet').waitFor();
  at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('e');
  await drag(page, at(4, 14), at(12, 20));
  await server.close();
  await page.getByText('Connection to negato lost').waitFor();
  await save();
  writeBelow(folder, 'a.dcm', first);
  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  const next = await serveWith({ inputs: [folder], server: { listen } });
  expect(next.catalog.get(1).path).toContain('b.dcm');

  // The stroke and what it was painted on.
  await expect.poll(() => paintedOn(next, 1), SLOW).toEqual([...row(5, 5, 10), ...row(9, 5, 10)].toSorted());
  const place = { type: 'frame', file_index: 1, frame_index: 0 };
  await expect
    .poll(async () => (await marksOf(next)).filter(({ kind }) => kind === 'ellipse'), SLOW)
    .toMatchObject([{ place }]);
  // The length had been saved, and this server does not have it: the user is asked.
  expect((await marksOf(next)).filter(({ kind }) => kind === 'length')).toEqual([]);
  const notice = page.getByRole('region', { name: 'Marks of this page' });
  await notice.getByText('1 mark of this page is not on the restarted server').waitFor();
  expect(await isHeld(page)).toBe(true);
  await notice.getByRole('button', { name: 'Keep' }).click();
  await expect
    .poll(async () => (await marksOf(next)).filter(({ kind }) => kind === 'length'), SLOW)
    .toMatchObject([{ place }]);
  await notice.waitFor({ state: 'detached' });
  await expect.poll(() => isHeld(page), SLOW).toBe(false);
}, 90_000);

test('marks on files that the restarted server does not have are named, and held until they are dismissed', async () => {
  const folder = createTempFolder();
  const [first, second] = writeSlices(2);
  writeBelow(folder, 'b.dcm', second);
  const server = await serve(folder);
  const viewer = await openViewer(server);
  const { page, cell } = viewer;
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('l');
  await drag(page, at(5, 25), at(15, 25));
  await expect.poll(async () => (await marksOf(server)).length, SLOW).toBe(1);
  await server.close();
  await page.getByText('Connection to negato lost').waitFor();
  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  await serveWith({ inputs: [first!], server: { listen } });

  await page.getByText(/1 mark cannot be saved because its files are no longer open: .*b\.dcm/).waitFor();
  expect(await isHeld(page)).toBe(true);
  await page.getByRole('region', { name: 'Marks without files' }).getByRole('button', { name: 'Dismiss' }).click();
  expect(await isHeld(page)).toBe(false);
}, 90_000);

test('two tabs that paint one frame at the same time keep the strokes of both, and undo takes back its own', async () => {
  const server = await serve(...writeSlices(1));
  const mine = await openViewer(server);
  const at = await projectionOf(mine.cell, IMAGE, {});
  await takeBrush(mine);
  await drag(mine.page, at(5.5, 5.5), at(10.5, 5.5));
  await expect.poll(() => paintedOn(server, 0), SLOW).toEqual(row(5, 5, 10).toSorted());
  const other = await openViewer(server);
  await takeBrush(other);
  await chooseMask(other);

  // This tab has painted before it knows of the other stroke, and saves after it.
  const release = await holdSaves(mine.page);
  await drag(mine.page, at(5.5, 9.5), at(10.5, 9.5));
  await drag(other.page, at(8.5, 3.5), at(8.5, 12.5));
  const column = Array.from({ length: 10 }, (_, n) => `8 ${3 + n}`);
  const theirs = [...new Set([...row(5, 5, 10), ...column])];
  await expect.poll(() => paintedOn(server, 0), SLOW).toEqual(theirs.toSorted());
  release();
  const both = [...new Set([...theirs, ...row(9, 5, 10)])].toSorted();
  await expect.poll(() => paintedOn(server, 0), SLOW).toEqual(both);

  await mine.cell.focus();
  await mine.page.keyboard.press('Control+z');
  // The pixel that both have painted was painted by this tab first.
  const undone = theirs.filter((pixel) => pixel !== '8 9');
  await expect
    .poll(async () => (await paintedOn(server, 0)).filter((pixel) => pixel !== '8 9'), SLOW)
    .toEqual(undone.toSorted());
  expect((await marksOf(server)).length).toBe(1);
}, 90_000);

test('two tabs that paint one tile of a slide keep the strokes of both', async () => {
  const levels = halvings(1024, 768, 256);
  const classes = [{ key: 'n', title: 'Nodule', color: '#ff8800', digit: 1 }];
  const opened = await openOwnPyramid({ levels }, addressOf(512, 384, 1), async (own) => {
    const headers = { 'Content-Type': 'application/json' };
    await own.request('/api/labels', { method: 'PUT', headers, body: JSON.stringify({ classes }) });
  });
  const { server } = opened;
  const pixels = async () =>
    (await marksOf(server))
      .flatMap(({ slices }) => slices.flatMap(({ mask }) => (mask ? pixelsOf(mask) : [])))
      .toSorted();
  const at = await project(opened.cell);
  await takeBrush(opened);
  // The mask of a class is painted further by every stroke with that class.
  await opened.page.keyboard.press('1');
  await drag(opened.page, at(520.75, 400.75), at(524.75, 400.75));
  const first = row(400, 520, 524);
  await expect.poll(pixels, SLOW).toEqual(first.toSorted());
  const tab = await openTab(server);
  const other = { page: tab.page, cell: tab.page.locator('[data-cell="0"]') };
  await other.page.setViewportSize({ width: 1280, height: 800 });
  await other.page.goto(`${server.baseUrl}/${addressOf(512, 384, 1)}`);
  await showsSlide(other.page);
  await takeBrush(other);
  await other.page.keyboard.press('1');

  const release = await holdSaves(opened.page);
  await drag(opened.page, at(520.75, 410.75), at(524.75, 410.75));
  await drag(other.page, at(520.75, 420.75), at(524.75, 420.75));
  await expect.poll(pixels, SLOW).toEqual([...first, ...row(420, 520, 524)].toSorted());
  release();
  await expect.poll(pixels, SLOW).toEqual([...first, ...row(410, 520, 524), ...row(420, 520, 524)].toSorted());
}, 120_000);

/** From pixels of the slide to places on the screen. */
async function project(cell: ViewerPage['cell']) {
  const [left, top] = await middleOf(cell);
  return (x: number, y: number): [number, number] => [left + x - 512, top + y - 384];
}
