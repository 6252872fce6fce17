import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findFaint } from '../support/contrast.ts';
import { openTab } from '../support/browser.ts';
import { measurementGroup, reportElements, scoord } from '../support/regionElements.ts';
import { spectroscopyElements, TWELVE_LEADS, waveformElements, waveformGroup } from '../support/waveformElements.ts';
import { DOSE_CENTRE, writeCt, writeDose, writePlan } from '../support/fieldFiles.ts';
import { serve, serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { drag, openViewer } from '../support/viewerPage.ts';

/** What is too faint in the light and in the dark page. */
async function findInBoth(page: Page, view: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findFaint(page)).map((line) => `${view}, ${colorScheme}: ${line}`));
  }
  return found;
}

test('panels, menus and dialogs are legible in the light and in the dark page', async () => {
  const slices = [0, 1, 2].map((number) => writeSlice({ number }));
  const server = await serve(...slices, writeSlice({ number: 0, series: 2 }));
  const { page, cell } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  const faint: string[] = [];
  const look = async (view: string) => faint.push(...(await findInBoth(page, view)));
  const box = (await cell.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await cell.focus();
  await page.keyboard.press('l');
  await drag(page, [x - 60, y], [x + 60, y]);
  await page.keyboard.press('r');
  await drag(page, [x - 60, y - 60], [x + 60, y - 30]);
  for (const name of ['Layers', 'Marks', 'Tags', 'References']) {
    const tab = page.getByRole('tab', { name });
    await tab.click();
    await look(name);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await look('palette');
  await page.keyboard.press('Escape');
  await cell.focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await look('keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+1');
  for (const name of ['Window presets', 'Layout', 'Color map', 'Fit, turn, flip', 'More']) {
    await page.getByRole('button', { name, exact: name === 'More' }).click();
    await look(name);
    await page.keyboard.press('Escape');
  }
  await cell.click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  await look('menu of the picture');
  await page.keyboard.press('Escape');
  await cell.focus();
  await page.keyboard.press('Shift+L');
  await page.getByRole('dialog', { name: 'Window' }).getByLabel('Center').fill('x');
  await page.keyboard.press('Enter');
  await look('window');
  expect(faint).toEqual([]);
});

test('layers and dose-volume histograms are legible in the light and in the dark page', async () => {
  const [x, y, z] = DOSE_CENTRE;
  const contours = [-4, 0, 4].map((mm) => ({ points: circle([x, y, z + mm], 15) }));
  const rois = [
    { number: 1, name: 'Sphere', contours },
    { number: 2, name: 'Nothing', contours: [] },
  ];
  const server = await serveShared(...writeCt(), writeDose(), writePlan(), writeDicom(structureSetElements(rois)));
  const { page, cell } = await openViewer(server, { address: '#cell=2.25.716,1', position: 6 });
  await page.keyboard.press('m');
  await cell.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByRole('list', { name: 'Structures' }).locator('[data-part="1"]').waitFor();
  const faint = await findInBoth(page, 'structures');
  await page.keyboard.press('Shift+H');
  const dialog = page.getByRole('region', { name: 'Dose-volume histograms' });
  await dialog.locator('tr[data-part="1"]').waitFor();
  await dialog.getByRole('progressbar').waitFor({ state: 'detached' });
  faint.push(...(await findInBoth(page, 'histograms')));
  expect(faint).toEqual([]);
});

test('a panel that still describes the image before is as legible as when it is complete', async () => {
  const server = await serve(...[0, 1, 2].map((number) => writeSlice({ number })));
  const { page, cell } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  const faint: string[] = [];
  const answers = /\/api\/file\/\d+\/(info|tags|references|frame\/0\/value-mapping)/;
  for (const [name, busy] of [
    ['Layers', '[aria-busy="true"]:not([role="tree"])'],
    ['Tags', '[role="tree"][aria-busy="true"]'],
  ] as const) {
    await page.getByRole('tab', { name }).click();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    // The answers for the next image do not come.
    await page.route(answers, () => undefined);
    await cell.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator(busy).first().waitFor();
    faint.push(...(await findInBoth(page, name)));
    await page.unroute(answers);
    await page.reload();
    await page.getByRole('slider').waitFor();
  }
  expect(faint).toEqual([]);
});

const CDA = `<ClinicalDocument><title>Letter</title><component><structuredBody><component><section><title>Findings</title>
<text>No <content styleCode="Bold">lesion</content>.<table><thead><tr><th>Size</th></tr></thead><tbody><tr><td>3 mm</td></tr></tbody></table></text>
</section></component></structuredBody></component></ClinicalDocument>`;
const TETRAHEDRON = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';

function encapsulate(number: number, sopClass: string, content: string): Uint8Array {
  return writeDicom({
    SOPClassUID: `1.2.840.10008.5.1.4.1.1.104.${sopClass}`,
    SOPInstanceUID: `2.25.90${number}`,
    SeriesInstanceUID: `2.25.91${number}`,
    StudyInstanceUID: '2.25.92',
    EncapsulatedDocument: new TextEncoder().encode(content),
  });
}

const DOCUMENTS = {
  report: writeDicom(
    reportElements([measurementGroup('Nodule 1', [scoord('CIRCLE', [16, 16, 20, 16], '2.25.71')], 8)], {
      CompletionFlag: 'PARTIAL',
      VerificationFlag: 'UNVERIFIED',
    }),
  ),
  plan: writePlan(),
  ecg: writeDicom(
    waveformElements([waveformGroup({ leads: TWELVE_LEADS, samples: 2_500, value: (sample) => sample % 250 })]),
  ),
  spectra: writeDicom(spectroscopyElements((point) => [1 / (point + 1), 0], { rows: 2, columns: 2, points: 64 })),
  letter: encapsulate(2, '2', CDA),
  page: encapsulate(1, '1', '<!doctype html><p>No PDF</p>'),
  mesh: encapsulate(3, '4', TETRAHEDRON),
};

test.each(Object.entries(DOCUMENTS))(
  'a document is legible in the light and in the dark page: %s',
  async (name, file) => {
    const server = await serveShared(file);
    const { page } = await openTab(server);
    await page.goto(server.baseUrl);
    await page.locator('[data-document]').waitFor();
    await page.locator('html[data-parts="all"]').waitFor();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    if (name === 'spectra') await page.getByRole('group', { name: 'Voxels' }).waitFor();
    expect(await findInBoth(page, name)).toEqual([]);
  },
);

test('dialogs of saving and menus of the toolbar are legible in the light and in the dark page', async () => {
  const server = await serveShared(...[0, 1, 2].map((number) => writeSlice({ number })));
  const { page, cell } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  const faint: string[] = [];
  await cell.focus();
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  faint.push(...(await findInBoth(page, 'save')));
  await page.keyboard.press('Escape');
  const menus = page.locator('[role="toolbar"] button[aria-haspopup], header button[aria-haspopup]');
  for (let at = 0; at < (await menus.count()); at += 1) {
    const menu = menus.nth(at);
    if (!(await menu.isVisible()) || !(await menu.isEnabled())) continue;
    await menu.click();
    faint.push(...(await findInBoth(page, (await menu.getAttribute('aria-label')) ?? `menu ${at}`)));
    await page.keyboard.press('Escape');
  }
  expect(faint).toEqual([]);
});
