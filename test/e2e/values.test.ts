import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writePet, writePetMapping } from '../support/fieldFiles.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { openViewer, projectionOf, showsImage, type ViewerPage } from '../support/viewerPage.ts';

const PATIENT = { timeout: 60_000 };
const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };

/** Opens the first file with the pointer over pixel (12, 7), where `writeSlice` stores 1024 + 12 + 2 x 7 = 1050. */
async function pointAt(files: readonly Uint8Array[]): Promise<ViewerPage> {
  const viewer = await openViewer(await serveShared(...files));
  await movePointer(viewer, 12, 7);
  return viewer;
}

async function movePointer({ page, cell }: Pick<ViewerPage, 'page' | 'cell'>, x: number, y: number): Promise<void> {
  const at = await projectionOf(cell, IMAGE, {});
  await page.mouse.move(...at(x + 0.5, y + 0.5));
}

/** Expects a line over the image that starts with this text. */
async function expectText(cell: Locator, text: string): Promise<void> {
  const lines = async () => (await cell.innerText()).split('\n').filter((line) => line.startsWith(text));
  await expect.poll(lines, { ...PATIENT, message: text }).toHaveLength(1);
}

function valueSection(page: Page) {
  return page.getByRole('region', { name: 'Values' });
}

async function openValues(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Layers' }).click();
  await valueSection(page).waitFor();
}

function valueRequests(requests: readonly string[]): string[] {
  return requests.filter((url) => url.endsWith('/value-mapping'));
}

test('a CT reads in Hounsfield units, with the stored value beside, and so does its window', async () => {
  const { page, cell, complaints } = await pointAt([writeSlice({ number: 0 })]);

  await expectText(cell, '(12, 7) 26 HU (stored 1050)');
  await expectText(cell, 'W 300 L 50 HU');
  await openValues(page);
  await valueSection(page).getByText('Rescale: stored value − 1024').waitFor();
  expect(complaints).toEqual([]);
});

function rescaled(slope: string, intercept: string): DataSetInput {
  const transformation = { RescaleSlope: slope, RescaleIntercept: intercept, RescaleType: 'normalized' };
  return { PixelValueTransformationSequence: [transformation] };
}

test('each frame reads through its own rescale', async () => {
  const size = SLICE_ROWS * SLICE_COLUMNS;
  const file = writeSlice(
    { number: 0 },
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.1',
      Modality: 'MR',
      NumberOfFrames: 2,
      RescaleSlope: undefined,
      RescaleIntercept: undefined,
      PerFrameFunctionalGroupsSequence: [rescaled('2', '0'), rescaled('0.5', '-25')],
      PixelData: new Int16Array(2 * size).fill(1050),
    },
  );
  const { page, cell, complaints } = await pointAt([file]);

  await expectText(cell, '(12, 7) 2100 normalized (stored 1050)');
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);

  // 1050 / 2 - 25
  await expectText(cell, '(12, 7) 500 normalized (stored 1050)');
  expect(complaints).toEqual([]);
});

const DOSE: DataSetInput = {
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
  Modality: 'RTDOSE',
  RescaleSlope: undefined,
  RescaleIntercept: undefined,
  DoseGridScaling: '0.002',
  DoseUnits: 'GY',
};

test('a dose reads in Gy, and its window too', async () => {
  const { page, cell, complaints } = await pointAt([writeSlice({ number: 0 }, DOSE)]);

  // 1050 x 0.002; 300 x 0.002 and 50 x 0.002
  await expectText(cell, '(12, 7) 2.1 Gy (stored 1050)');
  await expectText(cell, 'W 0.6 L 0.1 Gy');
  await openValues(page);
  await valueSection(page).getByText('Dose Grid Scaling: 0.002 × stored value').waitFor();
  expect(complaints).toEqual([]);
});

test('a parametric map of fractions reads in its units, and says where it maps nothing', async () => {
  const units = { CodeValue: 'um2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'square micrometers per second' };
  const map = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.700',
    Modality: 'MR',
    NumberOfFrames: 1,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: SLICE_ROWS,
    Columns: SLICE_COLUMNS,
    BitsAllocated: 32,
    SharedFunctionalGroupsSequence: [
      {
        RealWorldValueMappingSequence: [
          {
            LUTLabel: 'ADC',
            DoubleFloatRealWorldValueFirstValueMapped: 0,
            DoubleFloatRealWorldValueLastValueMapped: 50.5,
            RealWorldValueSlope: 2,
            RealWorldValueIntercept: 1,
            MeasurementUnitsCodeSequence: [units],
          },
        ],
      },
    ],
    FloatPixelData: Float32Array.from({ length: SLICE_ROWS * SLICE_COLUMNS }, (_, i) => i / 8),
  });
  const { page, cell, complaints } = await pointAt([map]);

  // (7 x 30 + 12) / 8 = 27.75, and 2 x 27.75 + 1
  await expectText(cell, '(12, 7) 56.5 µm²/s (stored 27.75)');
  await movePointer({ page, cell }, 20, 16);

  // (16 x 30 + 20) / 8
  await expectText(cell, '(20, 16) stored 62.5 is not mapped');
  expect(complaints).toEqual([]);
});

/** One half-life after the injection: 70 kg x 1000 / (350 MBq / 2) makes 0.0004 per Bq/ml. */
const PET: DataSetInput = {
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.128',
  Modality: 'PT',
  RescaleSlope: '2',
  RescaleIntercept: '0',
  Units: 'BQML',
  CorrectedImage: ['ATTN', 'DECY'],
  DecayCorrection: 'START',
  PatientWeight: '70',
  SeriesDate: '20240131',
  SeriesTime: '114000',
  AcquisitionDate: '20240131',
  AcquisitionTime: '114500',
  RadiopharmaceuticalInformationSequence: [
    {
      RadiopharmaceuticalStartTime: '100000',
      RadionuclideTotalDose: '350000000',
      RadionuclideHalfLife: '6000',
    },
  ],
};

describe('a PET image', () => {
  test('reads in SUV by body weight, with formula and inputs on demand', async () => {
    const { page, cell, complaints } = await pointAt([writeSlice({ number: 0 }, PET)]);

    // 1050 x 2 x 0.0004; 300 x 0.0004 and 50 x 0.0004
    await expectText(cell, '(12, 7) 0.84 SUVbw (stored 1050)');
    await expectText(cell, 'W 0.12 L 0.02 SUVbw');
    // The menu has the same numbers, and not those of the file in Bq/ml.
    await page.getByRole('button', { name: 'Window presets' }).click();
    expect(await page.getByRole('menuitemradio', { checked: true }).innerText()).toContain('0.12/0.02 SUVbw');
    await page.keyboard.press('Escape');
    await openValues(page);
    await valueSection(page).getByText('How SUV is computed').click();
    await valueSection(page).getByText('t = 6000 s').last().waitFor();
    expect(await valueSection(page).getByRole('row', { name: 'RadionuclideTotalDose' }).innerText()).toMatch(
      /RadionuclideTotalDose \(0018,1074\)\s+350000000/,
    );
    expect(complaints).toEqual([]);
  });

  test('without a weight is shown in Bq/ml, and the panel names the missing tag', async () => {
    const { page, cell } = await pointAt([writeSlice({ number: 0 }, { ...PET, PatientWeight: undefined })]);

    await expectText(cell, '(12, 7) 2100 Bq/ml (stored 1050)');
    await openValues(page);
    await valueSection(page).getByText('PatientWeight (0010,1030) is missing').waitFor();
    expect(await valueSection(page).getByRole('radio', { name: 'SUV' }).count()).toBe(0);
  });
});

test('a declared SUV that contradicts the rescale of its slice is named, and our own is preferred', async () => {
  // The slope was made for a slice of rescale slope 4. This slice has 2, so it gives 1050 x 0.0016 instead of 1050 x
  // 0.0008.
  const mapping = {
    LUTLabel: 'SUV',
    LUTExplanation: 'Standardized uptake',
    RealWorldValueFirstValueMapped: 0,
    RealWorldValueLastValueMapped: 32_767,
    RealWorldValueSlope: 0.0016,
    RealWorldValueIntercept: 0,
    MeasurementUnitsCodeSequence: [
      { CodeValue: '{SUVbw}g/ml', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'SUV body weight' },
    ],
  };
  const pet = writeSlice({ number: 0 }, { ...PET, RealWorldValueMappingSequence: [mapping] });
  const { page, cell, complaints } = await pointAt([pet]);

  await expectText(cell, '(12, 7) 0.84 SUVbw (stored 1050, 1.68 by SUV)');
  await openValues(page);
  await valueSection(page)
    .getByText(
      'Two readings in SUVbw differ by 50 %: for a stored value of 1000, “SUV” gives 1.6 and “SUV by body weight” gives 0.8.',
    )
    .waitFor();
  expect(await valueSection(page).getByRole('radio', { name: 'SUV by body weight' }).isChecked()).toBe(true);

  await valueSection(page).getByRole('radio', { name: 'SUV', exact: false }).nth(1).check();
  await movePointer({ page, cell }, 12, 7);
  await expectText(cell, '(12, 7) 1.68 SUVbw (stored 1050, 0.84 by SUV by body weight)');
  expect(complaints).toEqual([]);
});

test('a PET is in one unit on its slices and planes, and says that a mapping ignores their rescales', async () => {
  const server = await serveShared(
    ...writePet(),
    writePetMapping(() => 0.0001),
  );
  const { page, cell, complaints } = await openViewer(server, { address: '#cell=2.25.765,1', position: 5 });
  const caveat = 'ignores that the rescale differs from slice to slice';
  const pointAtMiddle = async (number: number) => {
    const box = await page.locator(`[data-cell="${number}"]`).boundingBox();
    if (box === null) throw new Error('no cell');
    await page.mouse.move(box.x + box.width / 2 + 30, box.y + box.height / 2 + 30);
  };
  await pointAtMiddle(0);
  const shows = async (number: number, text: RegExp) =>
    await expect.poll(async () => page.locator(`[data-cell="${number}"]`).innerText(), PATIENT).toMatch(text);
  await shows(0, /\)\s+[\d.]+ SUVbw \(stored \d+, [\d.]+ SUVlbm by SUVlbm\)/);
  await cell.getByText(/^W [\d.]+ L [\d.]+ SUVbw/).waitFor();
  await cell.getByText(caveat).waitFor();

  // It says so in every unit.
  await openValues(page);
  await valueSection(page).getByRole('radio', { name: 'Modality values' }).check();
  await expect.poll(async () => (await cell.innerText()).includes('Bq/ml'), PATIENT).toBe(true);
  expect(await cell.getByText(caveat).count()).toBe(1);
  await valueSection(page).getByRole('radio', { name: 'SUV by body weight' }).check();

  await cell.focus();
  await page.keyboard.press('y');
  // Cells have another place then.
  await page.getByText('Sagittal', { exact: true }).first().waitFor();
  for (const number of [0, 1, 2]) {
    const plane = page.locator(`[data-cell="${number}"]`);
    await pointAtMiddle(number);
    await shows(number, /\)\s+[\d.]+ SUVbw/);
    await plane.getByText(caveat).waitFor();
  }
  expect(complaints).toEqual([]);
});

test('the reading is chosen in the panel or with V, and holds for the whole stack', async () => {
  const { page, cell } = await pointAt([writeSlice({ number: 0 }, PET), writeSlice({ number: 1 }, PET)]);
  await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
  await expectText(cell, '(12, 7) 0.84 SUVbw (stored 1050)');
  await openValues(page);

  await valueSection(page).getByRole('radio', { name: 'Modality values' }).check();
  await movePointer({ page, cell }, 12, 7);
  await expectText(cell, '(12, 7) 2100 Bq/ml (stored 1050)');
  await cell.focus();
  await page.keyboard.press('V');
  await expectText(cell, '(12, 7) 1050');
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);

  // The second slice stores 10 more. Its window of width 300 at 50 Bq/ml is 150 at 25 in stored values.
  await expectText(cell, '(12, 7) 1060');
  await expectText(cell, 'W 150 L 25');
  await expect
    .poll(() => valueSection(page).getByRole('radio', { name: 'Stored values' }).isChecked(), PATIENT)
    .toBe(true);
});

test('what a Real World Value Mapping object says of an image is read, and the object is named', async () => {
  const object = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.67',
    SOPInstanceUID: '2.25.800',
    Modality: 'RWV',
    ReferencedImageRealWorldValueMappingSequence: [
      {
        ReferencedImageSequence: [
          {
            ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
            ReferencedSOPInstanceUID: '1.2.826.0.1.3680043.10.67.1.1',
          },
        ],
        RealWorldValueMappingSequence: [
          {
            LUTLabel: 'Fat',
            RealWorldValueFirstValueMapped: 0,
            RealWorldValueLastValueMapped: 4095,
            RealWorldValueSlope: 0.1,
            RealWorldValueIntercept: 0,
            MeasurementUnitsCodeSequence: [{ CodeValue: '%', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'Percent' }],
          },
        ],
      },
    ],
  });
  const { page, cell, complaints } = await pointAt([writeSlice({ number: 0 }), object]);

  await expectText(cell, '(12, 7) 105 % (stored 1050)');
  await openValues(page);
  await valueSection(page).getByText('1.dcm').waitFor();
  expect(complaints).toEqual([]);
});

test('scrolling requests the values of the last image only, not of the images passed', async () => {
  const files = Array.from({ length: 30 }, (_, number) => writeSlice({ number }));
  const { page, cell, requests } = await pointAt(files);
  await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
  await expectText(cell, '(12, 7) 26 HU (stored 1050)');
  // The answer is there. A request that the user scrolls away from is abandoned, and made again later.
  const isAnswered = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('value-mapping')));
  await expect.poll(isAnswered, PATIENT).toBe(true);

  // All keys are sent in one task of the page, so that no pause occurs between them.
  await page.evaluate(() => {
    for (let i = 0; i < 29; i++) {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    }
  });
  await showsImage(page, 29);
  // 10 x 29 + 26
  await expectText(cell, '(12, 7) 316 HU (stored 1340)');
  const asked = () => valueRequests(requests).map((url) => /file\/\d+/.exec(url)?.[0]);
  await expect.poll(asked, PATIENT).toEqual(['file/0', 'file/29']);

  await page.keyboard.press('Home');
  await showsImage(page, 0);
  await expectText(cell, '(12, 7) 26 HU (stored 1050)');
  expect(asked()).toEqual(['file/0', 'file/29']);
});

test('a color image has no values to read', async () => {
  const file = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: '2.25.3',
    Modality: 'OT',
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    Rows: SLICE_ROWS,
    Columns: SLICE_COLUMNS,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: new Uint8Array(SLICE_ROWS * SLICE_COLUMNS * 3).fill(7),
  });
  const { page, cell, requests } = await pointAt([file]);

  await expectText(cell, '(12, 7) 7 7 7');
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByRole('region', { name: 'Image' }).waitFor();
  expect(await valueSection(page).count()).toBe(0);
  expect(valueRequests(requests)).toEqual([]);
});
