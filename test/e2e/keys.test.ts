import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serveShared } from '../support/serve.ts';
import { openViewer } from '../support/viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.69';
const SIZE = 64;

/** Axial: the patient's right is on the left of the image, and the anterior side is on top. */
function writeSlice(series: number, number: number): Uint8Array {
  return writeDicom(
    ctElements({
      SOPInstanceUID: `${UID}.${series}.${number}`,
      SeriesInstanceUID: `${UID}.${series}`,
      FrameOfReferenceUID: `${UID}.9`,
      SeriesNumber: String(series),
      SeriesDescription: `Series ${series}`,
      InstanceNumber: String(number),
      ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
      ImagePositionPatient: ['0', '0', String(number)],
      PixelSpacing: ['1', '1'],
      WindowCenter: ['500', '700'],
      WindowWidth: ['1000', '300'],
      Rows: SIZE,
      Columns: SIZE,
      PixelData: Uint16Array.from({ length: SIZE * SIZE }, (_, i) => i % 800),
    }),
  );
}

const MEASURE_TOOLS = [
  'Length',
  'Angle',
  'Ellipse',
  'Box',
  'Pixel value',
  'Brush',
  'Eraser',
  'Polygon',
  'Freehand line',
  'Arrow with text',
  'Cobb angle',
  'Long and short axis',
];

/**
 * What each key does: [key as in docs/keys.md, what to read from the page, expected]. Each step starts from the state
 * that the previous one has left.
 */
const STEPS: readonly (readonly [string, (page: Page) => Promise<unknown>, unknown])[] = [
  ['P', pressedTool, 'Pan'],
  ['Z', pressedTool, 'Zoom'],
  ['S', pressedTool, 'Scroll'],
  ['R', pressedTool, 'ROI (CSV)'],
  ['L', pressedTool, 'Length'],
  ['A', pressedTool, 'Angle'],
  ['E', pressedTool, 'Ellipse'],
  ['Shift+E', pressedTool, 'Box'],
  ['Q', pressedTool, 'Pixel value'],
  ['Shift+B', pressedTool, 'Brush'],
  ['Alt+B', pressedTool, 'Eraser'],
  ['Shift+O', pressedTool, 'Polygon'],
  ['Shift+Z', pressedTool, 'Freehand line'],
  ['Shift+A', pressedTool, 'Arrow with text'],
  ['Shift+T', pressedTool, 'Cobb angle'],
  ['Shift+I', pressedTool, 'Long and short axis'],
  ['Alt+2', pressedTool, 'Long and short axis'],
  ['Alt+3', pressedTool, 'Arrow with text'],
  ['Alt+4', pressedTool, 'Window and level'],
  ['Alt+1', pressedTool, 'Scroll'],
  ['W', pressedTool, 'Window and level'],
  // The first declared window is already active, so the key selects the second.
  ['0', windowText, 'W 300 L 700'],
  // From 0 to 799, by the formula of PS3.3 C.11.2.1.2.1.
  ['`', windowText, 'W 800 L 400'],
  ['1', windowText, 'W 400 L 40'],
  ['2', windowText, 'W 1500 L -600'],
  ['3', windowText, 'W 2000 L 350'],
  ['4', windowText, 'W 80 L 40'],
  ['5', windowText, 'W 400 L 80'],
  ['6', windowText, 'W 150 L 90'],
  ['7', windowText, 'W 40 L 40'],
  ['8', windowText, 'W 600 L 300'],
  ['K', (page) => page.locator('[data-cell="0"]').getByText('Viridis').count(), 1],
  ['Shift+K', (page) => page.locator('[data-cell="0"]').getByText('Viridis').count(), 0],
  ['I', (page) => page.getByText('inverted').count(), 1],
  ['Shift+Esc', windowText, 'W 1000 L 500'],
  ['\\', zoomText, 'Zoom 100 %'],
  ['+', zoomText, 'Zoom 125 %'],
  ['-', zoomText, 'Zoom 100 %'],
  // The cell is 800 pixels high minus the bars, which is more than the 64 pixels of the image.
  ['=', async (page) => (await zoomText(page)) !== 'Zoom 100 %', true],
  // Clockwise: what was on the left is now on top.
  ['Alt+R', letters, 'R top, A right, L bottom, P left'],
  ['Alt+L', letters, 'A top, L right, P bottom, R left'],
  ['H', letters, 'A top, R right, P bottom, L left'],
  ['Shift+V', letters, 'P top, R right, A bottom, L left'],
  ['O', async (page) => /P1/.test(await page.locator('[data-cell="0"]').innerText()), false],
  ['Down', shown, '1'],
  ['Right', shown, '2'],
  ['Up', shown, '1'],
  ['Left', shown, '0'],
  ['Shift+Down', shown, '10'],
  ['Shift+Right', shown, '20'],
  ['Shift+Up', shown, '10'],
  ['Shift+Left', shown, '0'],
  ['End', shown, '24'],
  ['Home', shown, '0'],
  ['PgDn', currentSeries, 'Series 2'],
  ['PgUp', currentSeries, 'Series 1'],
  // The rate changes by a fifth, starting from 10 frames per second.
  [']', rate, '12'],
  ['[', rate, '10'],
  ['Space', (page) => page.getByRole('button', { name: 'Pause' }).count(), 1],
  ['Shift+R', rois, 1],
  ['Delete', rois, 0],
  ['Ctrl+Z', rois, 1],
  ['Ctrl+Y', rois, 0],
  ['Ctrl+Z', rois, 1],
  ['Ctrl+Shift+Z', rois, 0],
  ['Shift+R', rois, 1],
  ['Esc', (page) => page.locator('[data-handle]').count(), 0],
  ['Ctrl+Z', rois, 0],
  ['Shift+R', rois, 1],
  ['Backspace', rois, 0],
  ['B', (page) => page.getByRole('navigation', { name: 'Explorer' }).count(), 0],
  ['N', (page) => page.getByRole('complementary', { name: 'Inspector' }).count(), 0],
  ['Shift+M', (page) => page.getByRole('tab', { name: 'Marks', selected: true }).count(), 1],
  ['T', (page) => page.getByRole('tab', { name: 'Tags', selected: true }).count(), 1],
  ['C', (page) => page.getByRole('tab', { name: 'Layers', selected: true }).count(), 1],
  ['G', (page) => page.getByRole('tab', { name: 'References', selected: true }).count(), 1],
  ['?', (page) => page.getByRole('dialog').count(), 1],
  ['Ctrl+K', (page) => page.getByRole('dialog').count(), 1],
];

test('every key of the list does what it says', async () => {
  const slices = Array.from({ length: 25 }, (_, i) => writeSlice(1, i + 1));
  const server = await serveShared(...slices, writeSlice(2, 1), writeSlice(2, 2));
  // Wide enough for all tools.
  const { page, cell, complaints } = await openViewer(server, { width: 1920 });
  await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
  await cell.focus();

  for (const [key, look, expected] of STEPS) {
    await page.keyboard.press(toPlaywright(key));
    await expect.poll(async () => [key, await look(page)], { timeout: 60_000 }).toEqual([key, expected]);
    // Each press goes one step on: all texts, minimal, none, all again.
    if (key === 'O') for (let i = 0; i < 2; i++) await page.keyboard.press('o');
    if (key === 'Space') await page.keyboard.press('Space');
    if (key === 'Shift+V') await page.keyboard.press('Shift+Escape');
    if (key === '?' || key === 'Ctrl+K') await page.keyboard.press('Escape');
  }
  expect(complaints).toEqual([]);
}, 180_000);

test('9 restores the last custom window', async () => {
  const server = await serveShared(writeSlice(1, 1));
  const { page, cell } = await openViewer(server);
  const box = (await cell.boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.move(box.x + 200, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 240, box.y + 280);
  await page.mouse.up();
  const byHand = await windowText(page);
  expect(byHand).not.toBe('W 1000 L 500');
  await page.keyboard.press('2');
  await expect.poll(() => windowText(page)).toBe('W 1500 L -600');

  await page.keyboard.press('9');

  await expect.poll(() => windowText(page)).toBe(byHand);
});

test('every key of the list is tested', async () => {
  const list = await readFile(new URL('../../docs/keys.md', import.meta.url), 'utf8');
  const [keys = ''] = list.split('## Mouse and touch');
  const rows = [...keys.matchAll(/^\| (`.*`) \|/gm)].map(([, cells = '']) => cells);
  const listed = rows.flatMap((row) =>
    [...row.matchAll(/`` (.+?) ``|`([^`]+)`/g)].map(([, quoted, plain]) => quoted ?? plain),
  );

  // Other tests cover values, segmentations and stack windows, because they need files that have them. commands.test.ts
  // covers the rest.
  const others = ['Shift+W', 'Shift+L', 'U', 'X', 'Ctrl+S', 'Shift+C', 'Shift+Y', 'D'];
  // cohortTable.test.ts
  const ofTable = ['Alt+5'];
  // gallery.test.ts
  const ofLightbox = ['Alt+A'];
  // planes.test.ts
  const ofPlanes = ['Y', 'Shift+G', 'Shift+X', 'Shift+D', '.', ',', 'Alt+Left', 'Alt+Right', 'Shift+U', 'J', 'Shift+J'];
  // brush.test.ts
  const ofBrush = ['{', '}'];
  // keyboardPointer.test.ts
  const ofPointer = ['Alt+P'];
  // fields.test.ts and dvh.test.ts
  const ofFields = ['F', 'Alt+F', 'Shift+F', 'Shift+H'];
  // presentations.test.ts
  const ofPresentations = ['Shift+P', 'Shift+N'];
  // hanging.test.ts
  const ofStudies = ['Alt+PgUp', 'Alt+PgDn', 'Shift+S'];
  // markTools.test.ts
  const ofMarks = ['Enter', 'Alt+E', 'Shift+PgDn'];
  // maskTools.test.ts
  const ofMasks = ['G', 'V', 'T', 'H', 'I', 'K', 'W', 'N', 'S', 'U', 'X', 'Shift+X', 'Shift+Down', 'Shift+Up'];
  // assistants.test.ts
  const ofAssistants = ['Alt+Q'];
  // compare.test.ts
  const ofComparing = ['C', 'Down', 'Up', 'O', 'Shift+W', 'Shift+G', 'Shift+K'];
  const tried = new Set([
    ...[...ofMasks, ...ofComparing].map((key) => `Alt+${key}`),
    'Ctrl+Enter',
    ...ofMarks,
    ...ofStudies,
    ...ofPointer,
    ...ofAssistants,
    ...others,
    ...ofTable,
    ...ofLightbox,
    ...ofPlanes,
    ...ofBrush,
    ...ofFields,
    ...ofPresentations,
    '9',
    'V',
    'M',
    'Alt+M',
    ...STEPS.map(([key]) => key),
  ]);
  expect(listed.filter((key) => !tried.has(key ?? ''))).toEqual([]);
  expect(listed.length).toBeGreaterThan(40);
});

test('letters do nothing while Ctrl or Alt is held, or while the user types', async () => {
  const server = await serveShared(writeSlice(1, 1));
  const { page, cell } = await openViewer(server);

  await cell.focus();
  await page.keyboard.press('Alt+p');
  await page.keyboard.press('Control+i');
  const filter = page
    .getByRole('searchbox')
    .or(page.getByPlaceholder(/Filter/))
    .first();
  await filter.focus();
  await page.keyboard.type('zip2');

  expect(await filter.inputValue()).toBe('zip2');
  expect(await pressedTool(page)).toBe('Window and level');
  expect(await windowText(page)).toBe('W 1000 L 500');
  expect(await page.getByText('inverted').count()).toBe(0);
});

/** Playwright has other names for modifiers and arrow keys. */
function toPlaywright(key: string): string {
  const parts = key === '+' ? ['+'] : key.split('+');
  const names: Record<string, string> = {
    Ctrl: 'Control',
    Esc: 'Escape',
    Up: 'ArrowUp',
    Down: 'ArrowDown',
    Left: 'ArrowLeft',
    Right: 'ArrowRight',
    PgUp: 'PageUp',
    PgDn: 'PageDown',
  };
  const isPlainLetter = parts.length === 1 && /^[A-Z]$/.test(key);
  return isPlainLetter ? key.toLowerCase() : parts.map((part) => names[part] ?? part).join('+');
}

async function pressedTool(page: Page): Promise<string | null> {
  const names = ['Window and level', 'Pan', 'Zoom', 'Scroll', 'ROI (CSV)', ...MEASURE_TOOLS];
  const pressed = await page
    .getByRole('toolbar', { name: 'Tools', exact: true })
    .getByRole('button', { pressed: true })
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')));
  return pressed.find((name) => name !== null && names.includes(name)) ?? null;
}

async function windowText(page: Page): Promise<string | undefined> {
  return /W \S+ L \S+/.exec(await page.locator('[data-cell="0"]').innerText())?.[0];
}

async function zoomText(page: Page): Promise<string | undefined> {
  return /Zoom \S+ %/.exec(await page.locator('[data-cell="0"]').innerText())?.[0];
}

async function shown(page: Page): Promise<string | null> {
  return page.locator('[data-cell="0"]').getAttribute('data-shown');
}

async function currentSeries(page: Page): Promise<string | undefined> {
  return /Series \d/.exec(await page.locator('[data-cell="0"]').innerText())?.[0];
}

async function rate(page: Page): Promise<string> {
  return page.getByLabel('Frames per second').inputValue();
}

async function rois(page: Page): Promise<number> {
  return page.locator('[data-cell="0"] [data-roi]').count();
}

/** The orientation letters, with the edges of the image at which they stand. */
async function letters(page: Page): Promise<string> {
  const found = await page.locator('[data-cell="0"] p').evaluateAll((paragraphs) =>
    paragraphs
      .filter((paragraph) => /^[RLAPHF]$/.test(paragraph.textContent ?? ''))
      .map((paragraph) => {
        const { x, y } = paragraph.getBoundingClientRect();
        return { letter: paragraph.textContent, x, y };
      }),
  );
  const byY = found.toSorted((a, b) => a.y - b.y);
  const byX = found.toSorted((a, b) => a.x - b.x);
  return `${byY[0]?.letter} top, ${byX.at(-1)?.letter} right, ${byY.at(-1)?.letter} bottom, ${byX[0]?.letter} left`;
}
