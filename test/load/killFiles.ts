import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';

/** Slices 0 to 3 are a volume. */
export const SLICES = 4;
export const FRAME_OF_REFERENCE = '1.2.826.0.1.3680043.10.67.102';
/** They come after the others, so that the scan goes on while those are requested. */
const FURTHER_FILES = 80;

/** A file that is redacted and marked. Its index is the same in every run. */
export type KillFile = {
  readonly index: number;
  readonly kind: 'slice' | 'slide' | 'video';
  readonly rows: number;
  readonly columns: number;
  readonly frames: number;
  readonly bytesPerSample: number;
  readonly uids: { readonly study: string; readonly series: string; readonly instance: string };
};

const SLIDE = { rows: 6, columns: 10, frames: 9 };
const SLIDE_UIDS = { study: '2.25.711', series: '2.25.712', instance: '2.25.713' };
const VIDEO_UIDS = { study: '2.25.721', series: '2.25.722', instance: '2.25.723' };

export function listKillFiles(): readonly KillFile[] {
  const slices = Array.from({ length: SLICES }, (_, number): KillFile => {
    const uid = '1.2.826.0.1.3680043.10.67';
    const uids = { study: `${uid}.100`, series: `${uid}.101.1`, instance: `${uid}.1.${number + 1}` };
    return {
      index: number,
      kind: 'slice',
      rows: SLICE_ROWS,
      columns: SLICE_COLUMNS,
      frames: 1,
      bytesPerSample: 2,
      uids,
    };
  });
  return [
    ...slices,
    { index: SLICES, kind: 'slide', ...SLIDE, bytesPerSample: 1, uids: SLIDE_UIDS },
    { index: SLICES + 1, kind: 'video', rows: 16, columns: 16, frames: 5, bytesPerSample: 1, uids: VIDEO_UIDS },
  ];
}

export function writeKillFiles(folder: string): void {
  mkdirSync(folder);
  const write = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, name), bytes);
  for (let number = 0; number < SLICES; number += 1) write(`a${number}.dcm`, writeSlice({ number }));
  const { rows, columns, frames } = SLIDE;
  // In each row from 10 to 19, so that neighbours differ.
  const PixelData = Uint8Array.from({ length: rows * columns * frames }, (_, at) => 10 + (at % columns));
  write('b.dcm', writeDicom(slideElements({ ...toElements(SLIDE_UIDS), PixelData })));
  const box = Uint8Array.of(0, 0, 0, 16, ...new TextEncoder().encode('ftypisom'), 0, 0, 2, 0);
  const video = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4.1',
    ...toElements(VIDEO_UIDS),
    Rows: 16,
    Columns: 16,
    NumberOfFrames: '5',
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'YBR_PARTIAL_420',
    PlanarConfiguration: 0,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: { fragments: [box] },
  };
  write('c.dcm', writeDicom(video, { transferSyntaxUid: '1.2.840.10008.1.2.4.102' }));
  for (let number = 0; number < FURTHER_FILES; number += 1) {
    write(`d${String(number).padStart(3, '0')}.dcm`, writeSlice({ number, series: 2 }));
  }
}

function toElements({ study, series, instance }: KillFile['uids']) {
  return { StudyInstanceUID: study, SeriesInstanceUID: series, SOPInstanceUID: instance };
}
