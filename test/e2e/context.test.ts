import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { placedImage, reference } from '../support/placedElements.ts';
import { sliceUid, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve, serveShared, type SharedServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';
import { drag, openViewer, showsImage } from '../support/viewerPage.ts';

const SLICE = '1.2.826.0.1.3680043.10.67.1';

async function openContext(server: SharedServer, instance: string) {
  const opened = await openTab(server);
  await opened.page.goto(`${server.baseUrl}/#cell=${instance},1&tab=context`);
  await opened.page.getByRole('region', { name: 'Object' }).waitFor();
  return opened;
}

/** Names and values of a section, read once the section is present. */
async function readFacts(page: Page, section: string): Promise<Record<string, string>> {
  const region = page.getByRole('region', { name: section, exact: true });
  await region.waitFor();
  const facts = await region
    .locator('dl > div')
    .evaluateAll((lines) =>
      lines.map((line) => [line.querySelector('dt')?.textContent ?? '', line.querySelector('dd')?.textContent ?? '']),
    );
  return Object.fromEntries(facts);
}

test('an image says what it is, and what its frames are', async () => {
  const server = await serveShared(
    writeSlice(
      { number: 0 },
      {
        BitsStored: 12,
        HighBit: 11,
        WindowCenter: ['50', '-600'],
        WindowWidth: ['300', '1500'],
        WindowCenterWidthExplanation: ['SOFT', 'LUNG'],
        RescaleType: 'HU',
      },
    ),
  );
  const { page, complaints } = await openContext(server, `${SLICE}.1`);

  expect(await readFacts(page, 'Image')).toEqual({
    Size: '30 × 20',
    Frames: '1',
    Pixel: '12 of 16 bits, signed',
    Photometric: 'MONOCHROME2',
    Spacing: '1 × 1 mm (Pixel Spacing)',
    Rescale: 'stored × 1 − 1024 HU',
    Windows: 'W 300 L 50 SOFT, W 1500 L -600 LUNG',
    'Transfer syntax': 'Explicit VR Little Endian',
    Lossy: 'not declared',
    'Frame of ref.': '1.2.826.0.1.3680043.10.67.102',
  });
  expect(await readFacts(page, 'Object')).toEqual({
    Kind: 'classic image',
    Class: 'CT Image Storage',
    Modality: 'CT',
    Series: '1 · Series 1',
    Instance: '1',
  });
  expect(complaints).toEqual([]);
});

test('an object without an image shows what it is instead', async () => {
  const report = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.33',
    SOPInstanceUID: '2.25.800',
    Modality: 'SR',
    SeriesNumber: '5',
    SeriesDescription: 'Report',
  });
  const server = await serveShared(report);
  const { page } = await openContext(server, '2.25.800');

  await expect
    .poll(() => readFacts(page, 'Object'))
    .toEqual({
      Kind: 'structured report',
      Class: 'Comprehensive SR Storage',
      Modality: 'SR',
      Series: '5 · Report',
    });
  expect(await page.getByRole('region', { name: 'Image', exact: true }).count()).toBe(0);
});

function writeDose(different: DataSetInput): Uint8Array {
  return writeDicom(
    placedImage(
      { uid: '2.25.900', rows: 2, columns: 2 },
      {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
        Modality: 'RTDOSE',
        NumberOfFrames: 3,
        PixelSpacing: ['2.5', '2'],
        ImagePositionPatient: ['-10', '20.5', '30'],
        ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
        GridFrameOffsetVector: ['0', '3', '6'],
        DoseUnits: 'GY',
        DoseType: 'PHYSICAL',
        DoseSummationType: 'MULTI_PLAN',
        DoseGridScaling: '0.25',
        PixelData: Uint8Array.from({ length: 12 }, (_, i) => i),
        ...different,
      },
    ),
  );
}

test('a dose says its units, its grid, and that it is not for treatment', async () => {
  const server = await serveShared(writeDose({}));
  const { page } = await openContext(server, '2.25.900');

  expect(await readFacts(page, 'Dose')).toMatchObject({
    Units: 'Gy',
    Dose: 'stored × 0.25',
    Type: 'physical',
    'Summation type': 'multi plan',
    'Overlay on source': expect.stringMatching(/^no: /),
  });
  expect(await readFacts(page, 'Dose grid')).toEqual({
    Spacing: '2.5 × 2 mm',
    Planes: '3, 3 mm apart',
    Position: '-10, 20.5, 30',
    Orientation: '1, 0, 0, 0, 1, 0',
  });
  await page.getByText('must not be used to plan, approve or deliver a treatment').waitFor();
});

test('a dose opens in the middle plane of its grid, unless another is requested', async () => {
  const slice = writeSlice({ number: 0 });
  const server = await serveShared(writeDose({ NumberOfFrames: 4, PixelData: new Uint8Array(16) }), slice);
  // The image is shown first, because a dose belongs over images.
  const { page } = await openViewer(server);
  await page.keyboard.press('PageUp');
  await showsImage(page, 2);
  await page.getByText('3 / 4').first().waitFor();

  await page.keyboard.press('PageDown');
  await showsImage(page, 0);
  await page.keyboard.press('PageUp');
  await showsImage(page, 2);
  await page.keyboard.press('Home');
  await showsImage(page, 0);
  // The address names the frame that is on screen.
  await page.waitForURL(/2\.25\.900,1/);
  await page.reload();

  await showsImage(page, 0);
  expect(page.url()).toMatch(/2\.25\.900,1/);
});

test('a dose without scaling is unknown, not zero', async () => {
  const server = await serveShared(writeDose({ DoseGridScaling: undefined }));
  const { page } = await openContext(server, '2.25.900');

  expect(await readFacts(page, 'Dose')).toMatchObject({
    Dose: 'unknown: Dose Grid Scaling is missing or not a number',
  });
});

test('a parametric map shows what its values mean, and links to its source', async () => {
  const mapping = {
    LUTLabel: 'ADC',
    RealWorldValueFirstValueMapped: 0,
    RealWorldValueLastValueMapped: 4095,
    RealWorldValueSlope: 0.5,
    RealWorldValueIntercept: -10,
    MeasurementUnitsCodeSequence: [{ CodeValue: 'um2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'um2/s' }],
  };
  const map = placedImage(
    { uid: '2.25.701', rows: 2, columns: 2 },
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
      SeriesInstanceUID: '2.25.703',
      NumberOfFrames: 1,
      SourceImageSequence: [reference(`${SLICE}.2`)],
      SharedFunctionalGroupsSequence: [{ RealWorldValueMappingSequence: [mapping] }],
    },
  );
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 1 }), writeDicom(map));
  const { page } = await openContext(server, '2.25.701');

  expect(await readFacts(page, 'Parametric map')).toMatchObject({
    'Stored values': 'integers',
    'Shown values': 'stored value',
    Meaning: 'declared below',
  });
  expect(await readFacts(page, 'ADC')).toEqual({
    Units: 'µm²/s (um2/s, UCUM)',
    'Stored range': '0 to 4095',
    'Real value': 'stored × 0.5 − 10',
    'Declared in': 'this map',
  });
  await page.getByRole('button', { name: 'Open source image' }).click();

  await showsImage(page, 1);
});

test('a slide says how large it is and how its tiles lie', async () => {
  const server = await serveShared(writeDicom(slideElements({ PixelSpacing: ['0.002', '0.002'] })));
  const { page } = await openContext(server, '1.2.826.0.1.3680043.8.498.70');

  expect(await readFacts(page, 'Slide')).toMatchObject({
    Role: 'volume',
    'Total size': '25 × 14',
    Tiles: 'full grid, in order',
  });
});

test('a failure shows the reason and can be retried', async () => {
  const server = await serveShared(writeSlice({ number: 0 }));
  const { page } = await openTab(server);
  const body = JSON.stringify({ code: 'file_read_failed', error: 'the disk is tired' });
  await page.route('**/semantic-context', (route) =>
    route.fulfill({ status: 500, body, contentType: 'application/json' }),
  );
  await page.goto(`${server.baseUrl}/#cell=${SLICE}.1,1&tab=context`);
  const alert = page.getByRole('alert').filter({ hasText: 'the disk is tired' });
  await alert.waitFor();

  await page.unroute('**/semantic-context');
  await alert.getByRole('button', { name: 'Retry' }).click();

  await page.getByRole('region', { name: 'Image', exact: true }).waitFor();
  await alert.waitFor({ state: 'detached' });
  expect(await readFacts(page, 'Image')).toMatchObject({ Size: '30 × 20' });
});

test('C shows the context, which follows the image that is scrolled to', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 1 }));
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.getByRole('tab', { name: 'Layers' }).waitFor();

  await page.keyboard.press('c');
  await expect.poll(() => readFacts(page, 'Object')).toMatchObject({ Instance: '1' });
  await page.keyboard.press('ArrowDown');

  await expect.poll(() => readFacts(page, 'Object')).toMatchObject({ Instance: '2' });
});

test('during cine playback the panel shows the context of an image that was played', async () => {
  const server = await serveShared(...Array.from({ length: 8 }, (_, number) => writeSlice({ number })));
  const { page } = await openViewer(server);
  await page.keyboard.press('Space');
  const pause = page.getByRole('button', { name: 'Pause' });
  await pause.waitFor();

  await page.keyboard.press('c');

  expect(await readFacts(page, 'Image')).toMatchObject({ Size: '30 × 20' });
  expect(await pause.isVisible()).toBe(true);
});

test('the panel opens on what the object is about, and a tab that the user chose stays while the study does', async () => {
  const patches = [{ slice: 0, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }];
  const report = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.33',
    SOPInstanceUID: '2.25.901',
    Modality: 'SR',
    SeriesDescription: 'Findings',
  });
  const server = await serve(
    ...writeSlices(4),
    writeSegmentation({ uid: '2.25.900', name: 'Organs', patches }),
    report,
  );
  const { page, cell } = await openViewer(server);
  const isOpen = (name: string) => page.getByRole('tab', { name, selected: true }).waitFor();
  await isOpen('Layers');
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Layers', 'Marks', 'Tags', 'References']);

  // The tab that the page has chosen is not in the address, that of the user is.
  expect(page.url()).not.toContain('tab=');
  await cell.focus();
  await page.keyboard.press('t');
  await page.waitForURL(/tab=tags/);
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-cell="0"][data-shown="1"]').waitFor();
  await isOpen('Tags');

  await page.evaluate(() => (location.hash = 'cell=2.25.901,1'));
  await isOpen('References');
  await page.evaluate((uid) => (location.hash = `cell=${uid},1`), sliceUid(0));
  await isOpen('Layers');

  // The first mark, while annotating.
  await page.keyboard.press('Alt+3');
  await isOpen('Layers');
  const box = (await cell.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await drag(page, [x - 60, y], [x + 60, y + 40]);
  await isOpen('Marks');

  // An earlier name of the tab.
  await page.goto(`${server.baseUrl}/#tab=references`);
  await isOpen('References');
  await page.goto(`${server.baseUrl}/#tab=context`);
  await isOpen('Layers');
});
