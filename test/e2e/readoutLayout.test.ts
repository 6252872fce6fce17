import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { serve } from '../support/serve.ts';
import { SLICE_SIZE, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { openViewer, settle, type ViewerPage } from '../support/viewerPage.ts';

const LONG = {
  PatientName: 'Wolfeschlegelsteinhausenbergerdorff^Hubert Blaine',
  PatientID: 'HOSPITAL-0123456789-ABCDEFGHIJ',
  StudyDate: '20260102',
  StudyDescription: 'Abdomen and pelvis with and without contrast, delayed phase',
  SeriesDescription: 'Portal venous phase, thin slices, soft kernel',
  BurnedInAnnotation: 'YES',
  LossyImageCompression: '01',
  KVP: '120',
  SliceThickness: '3',
  AcquisitionTime: '101112',
};

/**
 * Every kind of text at once: long names, a missing slice, a cut file, burned-in annotation, lossy, and a segmentation.
 */
async function openFull(address = ''): Promise<ViewerPage> {
  const slices = writeSlices(6, LONG).filter((_, slice) => slice !== 4);
  const [first, ...others] = slices;
  if (first === undefined) throw new Error('no slice');
  // The pixel data comes last, so that some of its rows are missing.
  const cut = first.slice(0, first.length - 2 * SLICE_SIZE * (SLICE_SIZE / 4));
  const patches = [{ slice: 0, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }];
  const server = await serve(cut, ...others, writeSegmentation({ uid: '2.25.900', name: 'Organs', patches }));
  const viewer = await openViewer(server, { address });
  await viewer.cell.getByRole('status').getByText('of this image is missing').waitFor();
  await viewer.cell.locator('summary', { hasText: 'segmentation' }).waitFor();
  await viewer.cell.locator('summary', { hasText: 'warning' }).waitFor();
  return viewer;
}

type Box = { readonly text: string; left: number; top: number; right: number; bottom: number };

/** The visible part of every text over the images, clipped as the page clips it, and the boxes of the cells. */
async function readBoxes(page: Page): Promise<{ cells: Box[]; texts: Box[][] }> {
  return page.evaluate(() => {
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- it runs in the page
    const boxOf = (element: Element, text: string) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { text, left, top, right, bottom };
    };
    const cells = [...document.querySelectorAll('[data-cell]')];
    const texts = cells.map((cell) => {
      const grid = cell.querySelector('[data-texts]');
      const items = [...(grid?.querySelectorAll('p, output, summary, [data-scale], [data-control]') ?? [])];
      return items.flatMap((item) => {
        const box = boxOf(item, item.textContent ?? '');
        // A corner clips what does not fit.
        const clip = item.parentElement === grid ? undefined : item.parentElement;
        if (clip && getComputedStyle(clip).overflow === 'hidden') {
          const outer = boxOf(clip, '');
          box.left = Math.max(box.left, outer.left);
          box.top = Math.max(box.top, outer.top);
          box.right = Math.min(box.right, outer.right);
          box.bottom = Math.min(box.bottom, outer.bottom);
        }
        return box.right - box.left > 0.5 && box.bottom - box.top > 0.5 ? [box] : [];
      });
    });
    return { cells: cells.map((cell) => boxOf(cell, '')), texts };
  });
}

function listOverlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return across > 0.5 && down > 0.5 ? [`"${a.text}" and "${b.text}" by ${across} x ${down}`] : [];
    }),
  );
}

function listOutside(cell: Box, boxes: readonly Box[]): string[] {
  return boxes
    .filter(
      ({ left, top, right, bottom }) =>
        left < cell.left || top < cell.top || right > cell.right + 0.5 || bottom > cell.bottom + 0.5,
    )
    .map(({ text }) => text);
}

async function chooseLayout(page: Page, rows: number, columns: number): Promise<void> {
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('button', { name: `${rows} × ${columns}` }).click();
}

test('texts, letters, scale and badges never overlap, in any layout and window size', async () => {
  const { page, cell } = await openFull();
  const faults: string[] = [];
  const seen = new Map<string, string>();
  for (const [rows, columns] of [
    [1, 1],
    [1, 2],
    [2, 2],
    [3, 3],
    [4, 4],
  ] as const) {
    await chooseLayout(page, rows, columns);
    for (const [width, height] of [
      [1920, 1080],
      [1280, 800],
      [1280, 420],
      [1100, 700],
      [1024, 768],
      [899, 700],
      [800, 600],
      [640, 480],
      [420, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      await settle(page);
      const { cells, texts } = await readBoxes(page);
      const [outer, boxes] = [cells[0], texts[0] ?? []];
      if (outer === undefined) throw new Error('no cell');
      const where = `${rows}x${columns} at ${width}x${height}`;
      faults.push(...listOverlaps(boxes).map((fault) => `${where}: ${fault}`));
      // Cells below 100 pixels are too small for all warnings of this picture.
      const isTiny = outer.bottom - outer.top < 100 || outer.right - outer.left < 100;
      if (!isTiny) faults.push(...listOutside(outer, boxes).map((text) => `${where}: "${text}" leaves the cell`));
      seen.set(where, boxes.map(({ text }) => text).join('\n'));
    }
  }
  expect(faults).toEqual([]);

  // A large cell shows all texts, a small one only the most important.
  const large = seen.get('1x1 at 1920x1080') ?? '';
  for (const text of ['Wolfeschlegel', 'HOSPITAL', 'Abdomen', 'Portal', '120 kV', 'Zoom', 'W ', '1 / 5', 'burned-in'])
    expect(large).toContain(text);
  const small = seen.get('3x3 at 1280x800') ?? '';
  for (const text of ['Wolfeschlegel', 'Portal', 'W ', '1 / 5', 'burned-in', 'of this image is missing'])
    expect(small).toContain(text);
  expect(small).not.toContain('HOSPITAL');
  expect(await cell.count()).toBe(1);
}, 180_000);

test('a drawer and a notice do not cover the texts', async () => {
  const { page } = await openFull('#cell=1.2.3.4,1');
  const notice = page.getByText('The link refers to an image that is not among the open files.');
  await notice.waitFor();
  for (const [width, panel] of [
    [800, 'Inspector'],
    [1024, 'Inspector'],
    [800, 'Explorer'],
  ] as const) {
    await page.setViewportSize({ width, height: 700 });
    await page.getByRole('button', { name: `Toggle ${panel.toLowerCase()}` }).click();
    const drawer = page.getByRole(panel === 'Explorer' ? 'navigation' : 'complementary', { name: panel });
    await drawer.waitFor();
    await settle(page);
    const { texts } = await readBoxes(page);
    const covers = await Promise.all(
      [drawer, page.locator('section', { has: notice })].map((one) => one.boundingBox()),
    );
    const boxes = covers.map((box): Box => {
      const { x, y, width: across, height: down } = box ?? { x: 0, y: 0, width: 0, height: 0 };
      return { text: 'cover', left: x, top: y, right: x + across, bottom: y + down };
    });
    const faults = (texts[0] ?? []).flatMap((text) => boxes.flatMap((box) => listOverlaps([text, box])));
    expect(faults).toEqual([]);
    expect(listOverlaps(boxes)).toEqual([]);
    // Only one drawer is open at a time below 900 pixels.
    if (width === 800) await page.getByRole('button', { name: `Toggle ${panel.toLowerCase()}` }).click();
  }
});
