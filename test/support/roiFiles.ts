import { expect } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { AnnotationPayload, RoiBox } from '../../src/shared/contract/annotations.ts';
import type { TestServer } from './serve.ts';
import type { ImageSize } from './viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.66';

export type RoiImage = ImageSize & {
  readonly frames?: number;
  /** Images of one series with different numbers, starting at 1, form one stack. */
  readonly number?: number;
};

/** An 8-bit gray ramp. */
export function writeRoiImage({ rows, columns, aspect = 1, frames = 1, number = 1 }: RoiImage): Uint8Array {
  const size = rows * columns * frames;
  return writeDicom({
    SOPClassUID: frames > 1 ? '1.2.840.10008.5.1.4.1.1.7.2' : '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: `${UID}.${number}`,
    StudyInstanceUID: `${UID}.100`,
    SeriesInstanceUID: `${UID}.101`,
    FrameOfReferenceUID: `${UID}.102`,
    InstanceNumber: String(number),
    Modality: frames > 1 ? 'OT' : 'CT',
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ImagePositionPatient: ['0', '0', String(number)],
    PixelSpacing: [String(aspect), '1'],
    NumberOfFrames: String(frames),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: Uint8Array.from({ length: size + (size % 2) }, (_, i) => (i % columns) + Math.floor(i / columns)),
  });
}

export async function storedRois(server: TestServer, fileIndex = 0): Promise<AnnotationPayload> {
  const response = await server.request(`/api/file/${fileIndex}/annotations`);
  const payload: AnnotationPayload = await response.json();
  return payload;
}

/** Waits until the server has exactly these boxes. */
export async function expectBoxes(server: TestServer, boxes: readonly RoiBox[], fileIndex = 0): Promise<void> {
  await expect.poll(async () => (await storedRois(server, fileIndex)).roi_coords, { timeout: 60_000 }).toEqual(boxes);
}
