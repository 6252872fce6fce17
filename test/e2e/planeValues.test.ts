import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DOSE_SIZE, writeDose } from '../support/fieldFiles.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { showStoredBeside } from '../support/storedBeside.ts';
import { openViewer } from '../support/viewerPage.ts';

/** The lines over each cell that begin as wanted, with the pointer in its middle. */
async function readCells(page: Page, begin: RegExp): Promise<string[]> {
  const lines: string[] = [];
  for (const number of [0, 1, 2]) {
    const cell = page.locator(`[data-cell="${number}"]`);
    await cell.hover();
    const find = async () => (await cell.innerText()).split('\n').find((line) => begin.test(line)) ?? '';
    await expect.poll(find, { timeout: 30_000 }).not.toBe('');
    lines.push(await find());
  }
  return lines;
}

async function openPlanes(files: readonly Uint8Array[], position = 0) {
  const viewer = await openViewer(await serveShared(...files), { position, width: 1280, height: 900 });
  await viewer.page.keyboard.press('y');
  await viewer.page.getByText('Coronal', { exact: true }).first().waitFor();
  return viewer;
}

test('planes of a dose read in Gy', async () => {
  const { rows, columns, planes } = DOSE_SIZE;
  // Scaled by 0.002, which makes 2.1 Gy.
  const PixelData = new Uint16Array(rows * columns * planes).fill(1050);
  const { page, complaints } = await openPlanes([writeDose({ different: { PixelData } })], planes / 2);

  const values = await readCells(page, / Gy/);
  expect(values.map((value) => / ([\d.]+) Gy/.exec(value)?.[1])).toEqual(['2.1', '2.1', '2.1']);
  expect(complaints).toEqual([]);
});

test('three planes of a CT without a stored window have one window', async () => {
  const { page, complaints } = await openPlanes(
    Array.from({ length: 11 }, (_, number) =>
      writeSlice({ number }, { WindowCenter: undefined, WindowWidth: undefined }),
    ),
  );

  const windows = new Set(await readCells(page, /^W \d/));
  expect([...windows]).toEqual([expect.stringMatching(/^W [\d.]+ L -?[\d.]+ HU$/)]);
  expect(complaints).toEqual([]);
});

const ADC = { LUTLabel: 'ADC', RealWorldValueFirstValueMapped: 0, RealWorldValueLastValueMapped: 3 };

test.each([
  ['is a table', () => ({ RealWorldValueLUTData: [0, 10, 40, 90] })],
  [
    'differs from image to image',
    (number: number) => ({ RealWorldValueSlope: 1 + number, RealWorldValueIntercept: 0 }),
  ],
])(
  'a volume of which one image lacks a mapping that %s is in modality values, and says so',
  async (_why, mappingOf) => {
    // The last image lacks it.
    const files = Array.from({ length: 5 }, (_, number) =>
      writeSlice({ number }, number === 4 ? {} : { RealWorldValueMappingSequence: [{ ...ADC, ...mappingOf(number) }] }),
    );
    const caveat = 'the mapping “ADC” is not in all images of the volume, which have one unit';
    const viewer = await openViewer(await serveShared(...files), { width: 1280, height: 900 });
    const { page, cell, complaints } = viewer;
    await cell.getByText(caveat).waitFor();
    await page.keyboard.press('y');
    await page.getByText('Coronal', { exact: true }).first().waitFor();

    expect(await readCells(page, /is not in all/)).toEqual([0, 1, 2].map(() => expect.stringContaining(caveat)));
    expect(complaints).toEqual([]);
  },
);

test('planes read in the unit of a mapping that differs from image to image', async () => {
  const MeasurementUnitsCodeSequence = [{ CodeValue: 'mm2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'mm2/s' }];
  const last = { RealWorldValueLastValueMapped: { vr: 'SS', value: [4095] } };
  const PixelData = new Int16Array(600).fill(100);
  const { page, complaints } = await openPlanes(
    Array.from({ length: 5 }, (_, number) => {
      // Each image has 700.
      const line = { RealWorldValueSlope: 1 + number, RealWorldValueIntercept: 600 - 100 * number };
      const mapping = { ...ADC, ...last, MeasurementUnitsCodeSequence, ...line };
      return writeSlice({ number }, { PixelData, RealWorldValueMappingSequence: [mapping] });
    }),
  );

  const values = await readCells(page, /^\(.* mm²\/s/);
  expect(values.map((value) => / ([\d.]+) mm²\/s/.exec(value)?.[1])).toEqual(['700', '700', '700']);
  for (const number of [0, 1, 2])
    expect(await page.locator(`[data-cell="${number}"]`).innerText()).not.toContain('planes are in');

  // Another reading of the images is none of the planes, which say so.
  await showStoredBeside(page, `${SLICE_UID}.1.3`);
  await page.locator('[data-cell="3"]').click();
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByRole('radio', { name: 'Modality values' }).click();
  const caveat = 'planes are in ADC, because the mapping “ADC” differs from image to image';
  expect(await readCells(page, /planes are in/)).toEqual([0, 1, 2].map(() => expect.stringContaining(caveat)));
  expect(complaints).toEqual([]);
});
