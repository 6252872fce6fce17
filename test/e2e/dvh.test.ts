import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import {
  CT_ORIGIN,
  CT_SIZE,
  CT_SPACING_MM,
  DOSE_CENTRE,
  writeCt,
  writeDose,
  writePlan,
} from '../support/fieldFiles.ts';
import { serveShared } from '../support/serve.ts';
import { circle, structureSetElements, type WrittenRoi } from '../support/structureSetElements.ts';
import { openViewer, projectionOf, type ViewerPage } from '../support/viewerPage.ts';

const [X, Y, Z] = DOSE_CENTRE;
const HEIGHTS = [-10, -6, -2, 2, 6, 10, 14];
const RING = [-20, 15] as const;

/** Planes of the CT, so that contours are drawn as stored. */
const ROIS: readonly WrittenRoi[] = [
  {
    number: 1,
    name: 'Sphere',
    color: [255, 0, 0],
    contours: HEIGHTS.map((z) => ({ points: circle([X, Y, z], Math.sqrt(400 - (z - Z) ** 2)) })),
  },
  {
    number: 2,
    name: 'Ring',
    color: [0, 255, 0],
    contours: [-2, 2, 6].flatMap((z) => [14, 7].map((radius) => ({ points: circle([...RING, z], radius) }))),
  },
  { number: 3, name: 'Nothing', contours: [] },
];

const STORED = {
  ReferencedStructureSetSequence: [{ ReferencedSOPInstanceUID: '2.25.600' }],
  DVHSequence: [
    {
      DVHType: 'CUMULATIVE',
      DoseUnits: 'GY',
      DVHDoseScaling: '1',
      DVHVolumeUnits: 'PERCENT',
      DVHNumberOfBins: '3',
      DVHData: ['50', '100', '10', '95', '6', '30'],
      DVHReferencedROISequence: [{ ReferencedROINumber: '1', DVHROIContributionType: 'INCLUDED' }],
    },
  ],
};

/** Where a point of the patient in the slice at z = 2 is on the page. */
async function pageOf({ cell }: ViewerPage, x: number, y: number): Promise<[number, number]> {
  const { rows, columns } = CT_SIZE;
  const [column, row] = [(x - CT_ORIGIN[0]) / CT_SPACING_MM, (y - CT_ORIGIN[1]) / CT_SPACING_MM];
  return (await projectionOf(cell, { rows, columns }, {}))(column + 0.5, row + 0.5);
}

async function readLayer(viewer: ViewerPage, x: number, y: number): Promise<number[]> {
  const box = await viewer.cell.boundingBox();
  const [left, top] = await pageOf(viewer, x, y);
  const point = [left - (box?.x ?? 0), top - (box?.y ?? 0)];
  return viewer.cell.locator('[data-layer="layers"]').evaluate((canvas: HTMLCanvasElement, [across = 0, down = 0]) => {
    const ratio = canvas.width / canvas.clientWidth;
    const pixel = canvas.getContext('2d')?.getImageData(Math.floor(across * ratio), Math.floor(down * ratio), 1, 1);
    return [...(pixel?.data ?? [])];
  }, point);
}

test('structures are named under the pointer, and their dose is a plot beside the images, a table and CSV files', async () => {
  const structures = writeDicom(structureSetElements(ROIS));
  const server = await serveShared(...writeCt(), writeDose({ different: STORED }), writePlan(), structures);
  const viewer = await openViewer(server, { address: '#cell=2.25.716,1', position: 6, width: 1280, height: 900 });
  const { page, cell, complaints, requests } = viewer;
  const texts = () => cell.locator('[data-texts]').textContent();

  await page.keyboard.press('m');
  await cell.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  await page.getByRole('tab', { name: 'Layers' }).click();
  const list = page.getByRole('list', { name: 'Structures' });
  const lit = () => list.locator('[data-lit="true"]').evaluateAll((rows) => rows.map((row) => row.dataset['part']));
  await list.locator('[data-part="1"]').waitFor();
  await page.mouse.move(...(await pageOf(viewer, X, Y)));
  await expect.poll(texts).toContain('Sphere');
  await expect.poll(lit).toEqual(['1']);
  // In the hole of the ring there is nothing, in the ring there is.
  await page.mouse.move(...(await pageOf(viewer, RING[0], RING[1])));
  await expect.poll(lit).toEqual([]);
  expect(await texts()).not.toMatch(/Sphere|Ring/);
  await page.mouse.move(...(await pageOf(viewer, RING[0] - 10, RING[1])));
  await expect.poll(lit).toEqual(['2']);

  // The tool still gets the pointer: a drag over a structure changes the window.
  const before = await texts();
  await page.mouse.down();
  await page.mouse.move(...(await pageOf(viewer, RING[0] + 20, RING[1])), { steps: 4 });
  await page.mouse.up();
  await expect.poll(texts).not.toBe(before);

  expect(await list.getByRole('button', { name: /contours inside others of Sphere/ }).count()).toBe(0);
  const fill = list.getByRole('button', { name: 'Fill contours inside others of Ring' });
  expect((await readLayer(viewer, ...RING))[3]).toBe(0);
  await fill.click();
  await expect.poll(async () => (await readLayer(viewer, ...RING)).slice(0, 3)).toEqual([0, 255, 0]);
  await fill.click();
  await expect.poll(async () => (await readLayer(viewer, ...RING))[3]).toBe(0);

  // From the row of the structure set, and by its key.
  await page.getByRole('button', { name: 'DVH' }).first().click();
  const panel = page.getByRole('region', { name: 'Dose-volume histograms' });
  await panel.waitFor();
  await panel.getByRole('button', { name: 'Close histograms' }).press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+H');
  const row = (part: number) => panel.locator(`tr[data-part="${part}"]`);
  for (const part of [1, 2, 3]) await row(part).waitFor();
  await panel.getByRole('progressbar').waitFor({ state: 'detached' });
  // Seven slabs of 4 mm: Σ π (400 - (z - 2)²) 4 mm = 29.56 cm³, of which all is in the dose.
  expect(await row(1).textContent()).toMatch(/^Sphere29\.5\d.*0$/);
  expect(await row(3).textContent()).toBe('Nothing');
  const curves = panel.locator('polyline');
  expect(
    await curves.evaluateAll((lines) => lines.map(({ dataset }) => `${dataset['part']} ${dataset['stored']}`)),
  ).toEqual(['1 false', '1 true', '2 false']);
  await panel.getByText('100 % = 60 Gy, target prescription of plan Boost, PTV', { exact: false }).waitFor();
  await panel.getByText('not for clinical use', { exact: false }).waitFor();
  await panel.getByText('Nothing: the object has no contours of it', { exact: false }).waitFor();
  expect(await findViolations(page)).toEqual([]);

  const plot = await panel.getByRole('img').boundingBox();
  // All of a structure gets a dose of 0.
  await page.mouse.move((plot?.x ?? 0) + 54, (plot?.y ?? 0) + 12);
  await expect
    .poll(() => panel.getByRole('status').first().textContent())
    .toMatch(/: (?:100\.0|99\.\d) % with at least/);

  // The images stay beside the panel, and the dose at the cursor is a bright line in them.
  await cell.locator('[data-layer="layers"][data-masks="2"]').waitFor();
  const countBright = () =>
    cell.locator('[data-layer="layers"]').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (Math.min(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!) === 255) count += 1;
      }
      return count;
    });
  expect(await countBright()).toBe(0);
  const cursor = panel.getByRole('slider', { name: 'Dose whose line is lit in the images' });
  await cursor.fill('100');
  await expect.poll(countBright).toBeGreaterThan(100);
  expect(await cursor.getAttribute('aria-valuetext')).toMatch(/^3\d\.\d\d Gy$/);
  expect(await findViolations(page)).toEqual([]);

  const asked = requests.length;
  await panel.getByLabel('Volume in').selectOption('cm3');
  await panel.getByLabel('Dose in').selectOption('percent');
  await row(2).getByRole('checkbox').uncheck();
  await expect.poll(() => curves.count()).toBe(1);
  // Points of the curves that the user asks for are columns, also those of a share of the prescription of 60 Gy.
  const field = panel.getByRole('textbox', { name: 'Add points of the curves to the table' });
  await field.fill('D90 W5');
  await field.press('Enter');
  await panel.getByText('W5: write D95, D2cc, V20Gy or V95%').waitFor();
  await field.fill('D90 v50gy, V95%');
  await field.press('Enter');
  const heads = () => panel.locator('thead th').allTextContents();
  await expect
    .poll(async () => (await heads()).slice(2, 6))
    .toEqual(['D90 (%)', 'V50Gy (cm³)', 'V95% (cm³)', 'Min (%)']);
  const { dvhs } = await (await server.request('/api/file/14/dvh?dose=12&parts=1&points=D90,V50Gy,V57Gy')).json();
  const [d90, v50, v57] = dvhs[0].points;
  await expect
    .poll(async () => (await row(1).locator('td').allTextContents()).slice(1, 4))
    .toEqual([(d90.dose / 0.6).toFixed(1), v50.volume_cm3.toFixed(2), v57.volume_cm3.toFixed(2)]);
  await panel.getByRole('button', { name: 'Remove V50Gy' }).click();
  expect(await findViolations(page)).toEqual([]);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Table as CSV' }).click(),
  ]);
  const text = readFileSync(await file.path(), 'utf8');
  expect(text.split('\r\n')[0]).toMatch(/^name,number,volume_cm3,minimum_gy/);
  expect(text.split('\r\n')[0]).toMatch(/,d0\.1cc_gy,d90_gy,v95%_cm3,outside_dose_grid$/);
  expect(text).toMatch(/^Sphere,1,29\.5\d+,/m);
  // The added columns are asked for, each part that has a volume once.
  expect(requests.slice(asked).filter((url) => url.includes('/dvh'))).toHaveLength(2);
  expect(complaints).toEqual([]);
});

test('doses of beams are added in the histograms, and left out again', async () => {
  const structures = writeDicom(structureSetElements(ROIS));
  const beam = { DoseSummationType: 'BEAM' };
  const server = await serveShared(
    ...writeCt(),
    writeDose({ factor: 0.5, different: { ...beam, InstanceNumber: '1' } }),
    writeDose({ uid: '2.25.731', factor: 0.25, different: { ...beam, InstanceNumber: '2' } }),
    writeDose({ uid: '2.25.732', factor: 0.125, different: { ...beam, InstanceNumber: '3' } }),
    structures,
  );
  const { page, complaints } = await openViewer(server, {
    address: '#cell=2.25.716,1',
    position: 6,
    width: 1280,
    height: 900,
  });
  await page.keyboard.press('Shift+H');
  const panel = page.getByRole('region', { name: 'Dose-volume histograms' });
  const mean = async () => Number(await panel.locator('tr[data-part="1"] td').nth(2).textContent());
  const isMeasured = () => panel.getByRole('progressbar').waitFor({ state: 'detached' });
  await panel.locator('tr[data-part="3"]').waitFor();
  await panel.getByRole('combobox', { name: 'Dose', exact: true }).selectOption({ index: 0 });
  await isMeasured();
  const half = await mean();
  expect(half).toBeGreaterThan(20);
  await panel.getByRole('combobox', { name: 'Plus' }).selectOption('all');
  // A half, a quarter and an eighth are 1.75 times the half.
  await expect.poll(mean).toBeCloseTo(1.75 * half, 1);
  expect(await findViolations(page)).toEqual([]);
  await panel
    .getByRole('button', { name: /^Leave out / })
    .first()
    .click();
  await expect.poll(mean).toBeCloseTo(1.25 * half, 1);
  await panel
    .getByRole('button', { name: /^Leave out / })
    .first()
    .click();
  await expect.poll(mean).toBeCloseTo(half, 1);
  expect(complaints).toEqual([]);
});
