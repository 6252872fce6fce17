import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseHanging } from '../../src/shared/hanging/parseHanging.ts';
import { findViolations } from '../support/axe.ts';
import { serveShared, serveWith } from '../support/serve.ts';
import { openViewer, settle } from '../support/viewerPage.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

const UID = '1.2.826.0.1.3680043.10.78';
const SPACE = `${UID}.9`;

/** A CT of 24 slices and a PET of 12 in one frame of reference, and a scout. */
function petAndCt(): Uint8Array[] {
  const all = { FrameOfReferenceUID: SPACE, StudyDescription: 'Whole body', PatientID: 'P1', PatientName: 'Doe^Jane' };
  return [
    ...writeSeries(1, straight(2, 10), { ...all, SeriesNumber: '1', SeriesDescription: 'Scout' }),
    ...writeSeries(2, straight(24), { ...all, SeriesNumber: '2', SeriesDescription: 'CT' }),
    ...writeSeries(3, straight(12, 4), { ...all, SeriesNumber: '3', SeriesDescription: 'PET', Modality: 'PT' }),
  ];
}

type MrStudy = { readonly number: number; readonly date: string; readonly descriptions: readonly string[] };

/** MR series of six slices, in the order of their descriptions. */
function mrStudy({ number, date, descriptions }: MrStudy): Uint8Array[] {
  return descriptions.flatMap((SeriesDescription, at) =>
    writeSeries(10 * number + at, straight(6), {
      Modality: 'MR',
      StudyInstanceUID: `${UID}.${number}`,
      StudyDate: date,
      StudyDescription: `Brain ${number}`,
      FrameOfReferenceUID: `${SPACE}.${number}`,
      PatientID: 'P2',
      SeriesNumber: String(at + 1),
      SeriesDescription,
    }),
  );
}

function lineOf(page: Page, name: RegExp): Locator {
  return page.getByRole('tree', { name: 'Patients and studies' }).getByRole('treeitem', { name });
}

const cellAt = (page: Page, cell: number) => page.locator(`[data-cell="${cell}"]`);

async function isShown(page: Page, cell: number, text: string | RegExp): Promise<void> {
  await cellAt(page, cell).getByText(text).first().waitFor();
}

async function runFromPalette(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(title);
  await page.getByRole('option', { name: title }).first().click();
}

test('a double click on a study shows it by a rule: PET over the planes of its CT, and its MIP', async () => {
  const server = await serveShared(...petAndCt());
  const { page, complaints } = await openViewer(server);
  await lineOf(page, /Whole body/).waitFor();
  await settle(page);
  // Until then nothing is rearranged.
  expect(await page.locator('[data-cell]').count()).toBe(1);

  await lineOf(page, /Whole body/).dblclick();
  await page.getByText('Shown by the rule "PET/CT".').waitFor();
  for (const [cell, name] of ['Axial', 'Coronal', 'Sagittal'].entries()) {
    await isShown(page, cell, new RegExp(`^${name}$`));
    await isShown(page, cell, '#2 CT');
    await cellAt(page, cell).locator('[data-layer="layers"][data-masks="1"]').waitFor();
  }
  await isShown(page, 3, 'from the front');
  await isShown(page, 3, '#3 PET');
  // The patient is named once.
  await isShown(page, 0, 'Doe, Jane');
  expect(await cellAt(page, 2).getByText('Doe, Jane').isVisible()).toBe(false);
  expect(await findViolations(page)).toEqual([]);

  // A reload shows the same, because the address has all of it.
  await page.waitForURL(/layout=2x2.*mip/);
  await page.reload();
  await isShown(page, 3, 'from the front');
  expect(complaints).toEqual([]);
});

test('the next study has the same series in the same cells, by keys too, and back', async () => {
  const server = await serveShared(
    ...mrStudy({ number: 1, date: '20240101', descriptions: ['t1_tra', 't2_tra'] }),
    ...mrStudy({ number: 2, date: '20250101', descriptions: ['T2 TSE tra', 'T1 SE tra'] }),
    ...petAndCt(),
  );
  const { page, complaints } = await openViewer(server);
  await lineOf(page, /Brain 1/).waitFor();
  await page.keyboard.press('Shift+S');
  await page.getByText('Shown by the rule "MR".').waitFor();
  await isShown(page, 0, '#1 t1_tra');
  await isShown(page, 1, '#2 t2_tra');

  await cellAt(page, 0).focus();
  await page.keyboard.press('Alt+PageDown');
  await isShown(page, 0, '#2 T1 SE tra');
  await isShown(page, 1, '#1 T2 TSE tra');
  await page.getByText('Study 2 of 3.').waitFor();

  // A study with nothing like it is shown by a rule.
  await page.keyboard.press('Alt+PageDown');
  await isShown(page, 3, 'from the front');
  await page.keyboard.press('Alt+PageDown');
  await page.getByText('This is the last study.').waitFor();
  expect(complaints).toEqual([]);
});

test('the study before is shown beside the present one, and both scroll by millimetres', async () => {
  const server = await serveShared(
    ...mrStudy({ number: 1, date: '20240101', descriptions: ['t1_tra', 't2_tra'] }),
    ...mrStudy({ number: 2, date: '20250101', descriptions: ['T2 TSE tra', 'T1 SE tra'] }),
  );
  const { page } = await openViewer(server, { address: `#cell=1.2.826.0.1.3680043.10.77.3.20.2,1`, position: 1 });
  await lineOf(page, /Brain 1/).waitFor();
  await runFromPalette(page, 'Compare with the study before');
  await isShown(page, 1, '#2 t2_tra');
  await isShown(page, 0, '#1 T2 TSE tra');
  await cellAt(page, 0).focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => cellAt(page, 0).getAttribute('data-shown')).toBe('3');
  await expect.poll(() => cellAt(page, 1).getAttribute('data-shown')).toBe('2');
});

test('rules of the user come first, and say why they do not fit', async () => {
  const cell = { role: 'lung', series: "Modality = 'CT' and Images > 10", window: 'lung' };
  const hangingRules = [
    { name: 'With dose', layout: '1x1', cells: [{ role: 'the dose', series: "Modality = 'RTDOSE'" }] },
    { name: 'Lung', layout: '1x2', cells: [cell, { ...cell, role: 'coronal', view: 'coronal' }] },
  ];
  const server = await serveWith({ inputs: petAndCt(), domains: { hangingRules } });
  const { page, complaints } = await openViewer(server);
  await lineOf(page, /Whole body/).waitFor();
  await page.keyboard.press('Shift+S');
  await page
    .getByText('The rule "With dose" does not fit: there is no series for "the dose". Shown by the rule "Lung".')
    .waitFor();
  for (const at of [0, 1]) await isShown(page, at, /W 1500 L -600/);

  // What is on the screen becomes a rule, which is used from then on.
  await page.keyboard.press('3');
  await isShown(page, 0, /W 2000 L 350/);
  const downloading = page.waitForEvent('download');
  await runFromPalette(page, 'Save this layout as a rule');
  const saved = await downloading;
  expect(saved.suggestedFilename()).toBe('hanging.json');
  const parsed = parseHanging(await readFile(await saved.path(), 'utf8'));
  expect(parsed.ok && parsed.rules.map(({ name }) => name)).toEqual(['Whole body, 1 x 2', 'With dose', 'Lung']);
  await page.keyboard.press('1');
  await isShown(page, 0, /W 400 L 40/);
  await page.keyboard.press('Shift+S');
  await page.getByText('Shown by the rule "Whole body, 1 x 2".').waitFor();
  await isShown(page, 0, /W 2000 L 350/);
  expect(complaints).toEqual([]);
});
