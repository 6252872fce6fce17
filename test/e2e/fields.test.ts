import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { CT_SIZE, writeCt, writeDose, writePet, writePlan } from '../support/fieldFiles.ts';
import { serveShared } from '../support/serve.ts';
import { showStoredBeside } from '../support/storedBeside.ts';
import { drag, openViewer, projectionOf, settle, showsImage, type ViewerPage } from '../support/viewerPage.ts';

/** The slice at z = 2, in which the centre of the dose and of the PET lies. */
const ADDRESS = '#cell=2.25.716,1';
/** The pixel of the CT at (4.5, -7.5, 2), half a millimetre from that centre, and one 40 mm below. */
const CENTRE = [35, 19] as const;
const BELOW = [35, 45] as const;

async function pageOf({ cell }: ViewerPage, [column, row]: readonly [number, number]): Promise<[number, number]> {
  const { rows, columns } = CT_SIZE;
  return (await projectionOf(cell, { rows, columns }, {}))(column + 0.5, row + 0.5);
}

/** A pixel of the layers. */
async function readLayer(viewer: ViewerPage, at: readonly [number, number]): Promise<number[]> {
  const box = await viewer.cell.boundingBox();
  const [x, y] = await pageOf(viewer, at);
  const point = [x - (box?.x ?? 0), y - (box?.y ?? 0)];
  return viewer.cell.locator('[data-layer="layers"]').evaluate((canvas: HTMLCanvasElement, [left = 0, top = 0]) => {
    const ratio = canvas.width / canvas.clientWidth;
    const pixel = canvas.getContext('2d')?.getImageData(Math.floor(left * ratio), Math.floor(top * ratio), 1, 1).data;
    return [...(pixel ?? [])];
  }, point);
}

test('a PET and doses lie over a CT with their values, and nothing about their look asks the server', async () => {
  const server = await serveShared(
    ...writeCt(),
    ...writePet(),
    writeDose(),
    writeDose({ uid: '2.25.731', factor: 0.5, different: { SeriesDescription: 'Half' } }),
    writePlan(),
  );
  const viewer = await openViewer(server, { address: ADDRESS, position: 6, width: 1280, height: 900 });
  const { page, cell, complaints, requests } = viewer;
  const shows = (count: number) => cell.locator(`[data-layer="layers"][data-masks="${count}"]`).waitFor();
  const legend = cell.locator('[data-field]');
  const probe = () => cell.locator('[data-texts]').textContent();

  // The badge lists what lies over the image; then the key is ready, too.
  await cell.getByText('3 volumes').waitFor();
  await page.keyboard.press('f');
  await shows(1);
  expect(await legend.textContent()).toContain('7 SUVbw');
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  // 20,000 Bq/ml * 70,000 g / 370 MBq = 3.784.
  await expect.poll(probe).toMatch(/34 HU \(stored 1034\)PT 3\.78 SUVbw/);
  // Half opaque, and clear below 10 % of the window: 0.378 elsewhere.
  const [red, , , alpha] = await readLayer(viewer, CENTRE);
  expect([red, alpha]).toEqual([255, 128]);
  expect(await readLayer(viewer, BELOW)).toEqual([0, 0, 0, 0]);

  await page.keyboard.press('Shift+F');
  await cell.getByText('100 % = 60 Gy, target prescription of plan Boost, PTV').waitFor();
  await shows(1);
  // 66 Gy at the centre, less what interpolation between samples 3 mm apart takes off: 110 % of 60 Gy is 66.
  await expect.poll(probe).toMatch(/34 HU \(stored 1034\)Dose 65\.\d+ Gy \(109\.\d %\)/);
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.730');

  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByLabel('Colors of Dose').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  // The neighbours of the image are loaded when the user pauses.
  const packets = () => requests.filter((url) => url.includes('/frame?file=')).length;
  await expect.poll(packets).toBeGreaterThanOrEqual(8);
  await settle(page);
  const asked = () => requests.filter((url) => !url.includes('/api/files')).length;
  const before = asked();

  await page.getByRole('slider', { name: 'Opacity of Dose' }).fill('100');
  await expect.poll(async () => (await readLayer(viewer, CENTRE))[3]).toBe(255);
  await page.getByRole('combobox', { name: 'Colors of Dose' }).selectOption('gray');
  await page.getByRole('spinbutton', { name: 'Highest color of Dose' }).fill('132');
  await page.getByRole('checkbox', { name: 'Lines' }).uncheck();
  // 65.6 to 65.9 of 132 Gy: levels 126.7 to 127.3.
  await expect.poll(() => readLayer(viewer, CENTRE)).toEqual([127, 127, 127, 255]);
  await page.getByRole('spinbutton', { name: 'Threshold of Dose' }).fill('66');
  await expect.poll(() => readLayer(viewer, CENTRE)).toEqual([0, 0, 0, 0]);
  await page.getByRole('checkbox', { name: 'Lines' }).check();
  await page.getByRole('textbox', { name: 'Levels of Dose' }).fill('50 90');
  await page.keyboard.press('Enter');
  expect(await legend.locator('li').allTextContents()).toEqual(['90 % 54', '50 % 30']);
  await page.getByRole('combobox', { name: 'Unit of the levels of Dose' }).selectOption('unit');
  expect(await page.getByRole('textbox', { name: 'Levels of Dose' }).inputValue()).toBe('54 30');
  // The long name of the reference does not push the button out of the panel.
  const reset = page.getByRole('button', { name: 'Reset', exact: true });
  expect(await reset.evaluate((button) => button.getBoundingClientRect().right < innerWidth)).toBe(true);
  await reset.click();
  await expect.poll(async () => (await readLayer(viewer, CENTRE))[3]).toBeGreaterThan(100);
  // The upper end of the scale, half of its height down: the window is halved.
  const bar = await legend.getByRole('button').boundingBox();
  const top: [number, number] = [bar!.x + bar!.width / 2, bar!.y + 4];
  await drag(page, top, [top[0], top[1] + bar!.height / 2]);
  await expect.poll(() => legend.locator('p').first().textContent()).toMatch(/^3[234]/);
  expect(asked()).toBe(before);

  // A second dose over the first, told apart by name.
  await page.getByRole('region', { name: 'Half' }).getByRole('checkbox').check();
  await shows(2);
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  await expect.poll(probe).toMatch(/Dose 65\.\d+ Gy \(109\.\d %\) · Dose Half 32\.\d+ Gy/);

  await expect.poll(() => new URL(page.url()).hash).toContain('2.25.731');
  await page.reload();
  await shows(2);
  await page.keyboard.press('f');
  await shows(0);
  expect(complaints).toEqual([]);
});

test('a dose is added to another one and subtracted from it in the images, and a link keeps it', async () => {
  const server = await serveShared(
    ...writeCt(),
    writeDose(),
    writeDose({ uid: '2.25.731', factor: 0.5, different: { SeriesDescription: 'Half' } }),
    writeDose({ uid: '2.25.732', factor: 1.01, different: { SeriesDescription: 'Again' } }),
    writePlan(),
  );
  const viewer = await openViewer(server, {
    address: `${ADDRESS}&layer=2.25.730`,
    position: 6,
    width: 1280,
    height: 900,
  });
  const { page, cell, complaints } = viewer;
  const shows = (count: number) => cell.locator(`[data-layer="layers"][data-masks="${count}"]`).waitFor();
  const probe = () => cell.locator('[data-texts]').textContent();
  const legend = cell.locator('[data-field]');
  await shows(1);
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByLabel('Colors of Dose').first().waitFor();
  await page.getByRole('combobox', { name: 'Plus' }).selectOption({ label: 'Half' });
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  // One and a half times 66 Gy, less what interpolation takes off; 60 Gy are 100 %.
  await expect.poll(probe).toMatch(/Dose sum 9[78]\.\d+ Gy \(16[234]\.\d %\)/);
  await expect.poll(() => legend.textContent()).toMatch(/132 Gy.*Dose \+ Half, interpolated/);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Leave out Half' }).click();
  await page.getByRole('combobox', { name: 'Minus' }).selectOption({ label: 'Again' });
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  // A hundredth of 66 Gy is missing: slightly blue, in a window of a tenth of 66 Gy to both sides of white.
  await expect.poll(probe).toMatch(/Dose difference -0\.6[56]\d* Gy \(-1\.1 %\)/);
  await expect.poll(() => legend.textContent()).toMatch(/^6\.6 Gy.*-6\.6 GyDose − Again, interpolated/);
  const [red = 0, green = 0, blue = 0, alpha = 0] = await readLayer(viewer, CENTRE);
  expect([blue, alpha]).toEqual([255, 102]);
  expect([red, green].every((level) => level > 200 && level < 245)).toBe(true);

  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.730;-2.25.732');
  await page.reload();
  await shows(1);
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  await expect.poll(probe).toMatch(/Dose difference -0\.6/);
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.mouse.move(...(await pageOf(viewer, CENTRE)));
  await expect.poll(probe).toMatch(/Dose 65\.\d+ Gy/);
  expect(complaints).toEqual([]);
});

/** The dose of one beam of the plan. */
function ofBeam(number: number) {
  return {
    SeriesDescription: 'Doses',
    DoseSummationType: 'BEAM',
    ReferencedRTPlanSequence: [
      {
        ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.481.5',
        ReferencedSOPInstanceUID: '2.25.740',
        ReferencedFractionGroupSequence: [{ ReferencedBeamSequence: [{ ReferencedBeamNumber: number }] }],
      },
    ],
  };
}

test('a dose of the explorer lies over its images where it is highest, with the name of its beam below that of its plan', async () => {
  const server = await serveShared(
    ...writeCt(),
    writeDose({ different: ofBeam(1) }),
    writeDose({ uid: '2.25.731', different: ofBeam(2) }),
    writePlan(),
  );
  const { page, cell, complaints } = await openViewer(server, { address: '#cell=2.25.712,1', position: 2 });
  await page.keyboard.press('+');
  const zoom = () => cell.getByText(/Zoom \d+ %$/).textContent();
  const before = await zoom();

  await page.getByRole('treeitem', { name: /Dose of beam 2/ }).click();
  // The slice at z = 2, in which the centre of the dose lies.
  await showsImage(page, 6);
  await cell.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  expect((await zoom())?.split('\n').at(-1)).toBe(before?.split('\n').at(-1));
  expect(await cell.locator('[data-field]').textContent()).toContain('Dose of beam 2, interpolated');

  await cell.locator('summary', { hasText: '1 of 2 volumes' }).click();
  const list = cell.locator('details[open]');
  await list.getByRole('heading', { name: 'Plan Boost' }).waitFor();
  const names = list.getByRole('region').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  expect(await names).toEqual(['Dose of beam 1', 'Dose of beam 2']);
  await list.getByRole('region', { name: 'Dose of beam 2' }).getByRole('slider').waitFor();

  // By itself it says so, and leads back.
  await list.getByRole('region', { name: 'Dose of beam 2' }).getByRole('button', { name: 'Volume by itself' }).click();
  await cell.getByRole('button', { name: 'Show over source image' }).click();
  await showsImage(page, 6);
  expect(complaints).toEqual([]);
});

test('a layer that is found while the pointer is in the list moves nothing there until it leaves', async () => {
  const server = await serveShared(
    ...writeCt(),
    writeDose({ different: ofBeam(1) }),
    writeDose({ uid: '2.25.731', different: ofBeam(2) }),
    writePlan(),
  );
  const { page, cell, complaints } = await openViewer(server, { address: ADDRESS, position: 6 });
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const late = server.catalog.files.findIndex(({ sopInstanceUid }) => sopInstanceUid === '2.25.731');
  await page.route(new RegExp(`/api/layer/${late}(?:\\?|$)`), async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await cell.locator('summary', { hasText: '1 volume' }).click();
  const list = cell.locator('details[open]');
  const first = list.getByRole('region', { name: 'Dose of beam 1' });
  await first.getByRole('checkbox').hover();
  const before = await first.boundingBox();

  release?.();
  await list.getByRole('region', { name: 'Dose of beam 2' }).waitFor();
  expect(await first.boundingBox()).toEqual(before);
  // Elsewhere the two stand together, below the name of their plan.
  await page.mouse.move(5, 5);
  await list.getByRole('heading', { name: 'Plan Boost' }).waitFor();
  expect(complaints).toEqual([]);
});

test('planes of a volume and linked cells have one legend, and Alt+F acts on one of them', async () => {
  const server = await serveShared(...writeCt(), writeDose(), writePlan());
  const { page } = await openViewer(server, { address: ADDRESS, position: 6, width: 1366, height: 768 });
  const drawn = (cell: number, count: number) =>
    page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="${count}"]`).waitFor();
  await page.getByText('1 volume').waitFor();
  await page.keyboard.press('y');
  await page.locator('[data-cell="2"][data-status="ready"]').waitFor();
  await page.keyboard.press('f');
  for (const cell of [0, 1, 2]) await drawn(cell, 1);
  expect(await page.locator('[data-field]').count()).toBe(1);
  await page.keyboard.press('Alt+f');
  await drawn(0, 0);
  for (const cell of [1, 2]) await drawn(cell, 1);
  // The legend is then in the next cell that shows the dose.
  expect(await page.locator('[data-cell="1"] [data-field]').count()).toBe(1);
});

test('a dose lies over all planes of a CT by one key', async () => {
  const server = await serveShared(...writeCt(), writeDose(), writePlan());
  const { page, complaints } = await openViewer(server, { address: ADDRESS, position: 6 });
  await page.getByText('1 volume').waitFor();
  await page.keyboard.press('y');
  await page.locator('[data-cell="3"][data-status="ready"]').waitFor();
  // A MIP is there at first, over which nothing lies.
  await showStoredBeside(page, '2.25.716');
  await page.keyboard.press('f');
  for (const cell of [0, 1, 2, 3]) {
    await page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="1"]`).waitFor();
  }
  // Coronal, at the crosshair: the dose covers the middle.
  const strength = await page.locator('[data-cell="1"] [data-layer="layers"]').evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    return canvas.getContext('2d')?.getImageData(Math.floor(width / 2), Math.floor(height / 2), 1, 1).data[3];
  });
  expect(strength).toBeGreaterThan(90);

  // Planes of the dose itself are in Gray, too: around its middle there are 40 to 66 of them.
  await page.keyboard.press('y');
  await page.evaluate(() => (location.hash = 'cell=2.25.730,7'));
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);
  await page.keyboard.press('y');
  await page.locator('[data-cell="3"][data-status="ready"]').waitFor();
  const axial = page.locator('[data-cell="0"]');
  const box = await axial.boundingBox();
  if (box === null) throw new Error('no cell');
  const probeNear = async (offset: number) => {
    await page.mouse.move(box.x + box.width / 2 + offset, box.y + box.height / 2 + 15);
    return axial.locator('[data-texts]').textContent();
  };
  await probeNear(10);
  await expect.poll(() => probeNear(15)).toMatch(/\)\s+(?:4\d|5\d|6[0-6])\.\d+ Gy/);
  expect(complaints).toEqual([]);
});
