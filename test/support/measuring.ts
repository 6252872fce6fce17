import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { SharedServer } from './serve.ts';
import { openViewer, type ViewerOptions, type ViewerPage } from './viewerPage.ts';

export const RAMP_ROWS = 160;
export const RAMP_COLUMNS = 200;

/** A CT image in which pixel (x, y) has x Hounsfield units. Pixels are 1 mm wide and 1.5 mm high. */
export function writeRamp(more: DataSetInput = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: '1.2.826.0.1.3680043.10.71.1',
    StudyInstanceUID: '1.2.826.0.1.3680043.10.71.100',
    SeriesInstanceUID: '1.2.826.0.1.3680043.10.71.101',
    Modality: 'CT',
    PixelSpacing: ['1.5', '1'],
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: RAMP_ROWS,
    Columns: RAMP_COLUMNS,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    RescaleSlope: '1',
    RescaleIntercept: '-1024',
    PixelData: Int16Array.from({ length: RAMP_ROWS * RAMP_COLUMNS }, (_, i) => 1024 + (i % RAMP_COLUMNS)),
    ...more,
  });
}

export type MeasuringPage = ViewerPage & {
  /** Converts image coordinates to page coordinates; exact where the latter are whole numbers. */
  readonly at: (x: number, y: number) => [number, number];
};

/** Opens the viewer at one screen pixel per column and waits until it can measure. */
export async function openMeasuring(
  server: SharedServer,
  { aspect = 1.5, ...options }: ViewerOptions & { readonly aspect?: number } = {},
): Promise<MeasuringPage> {
  const opened = await openViewer(server, options);
  const { page, cell } = opened;
  await canMeasure(cell);
  await page.keyboard.press('\\');
  await expect.poll(() => cell.innerText(), { timeout: 60_000 }).toContain('Zoom 100 %');
  const box = await cell.locator('canvas').first().boundingBox();
  if (box === null) throw new Error('the cell has no canvas on the page');
  // The image starts at a whole screen pixel.
  const left = box.x + Math.round(box.width / 2 - RAMP_COLUMNS / 2);
  const top = box.y + Math.round(box.height / 2 - (RAMP_ROWS * aspect) / 2);
  return { ...opened, at: (x, y) => [left + x, top + y * aspect] };
}

/** Waits for the measuring part of the page, which loads after the first image. */
export async function canMeasure(cell: Locator): Promise<void> {
  await cell.locator('svg[data-layer="measure"]').waitFor({ state: 'attached' });
}

/** The labels of all measurements of a kind, each as a list of lines. */
export async function labelsOf(cell: Locator, kind: string): Promise<string[][]> {
  return cell
    .locator(`[data-measure="${kind}"] text`)
    .evaluateAll((texts) => texts.map((text) => [...text.children].map((line) => line.textContent ?? '')));
}
