import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { type WriteOptions, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { digits } from './placedElements.ts';

export const VOLUME_ROWS = 4;
export const VOLUME_COLUMNS = 5;
const SIZE = VOLUME_ROWS * VOLUME_COLUMNS;
const UID = '1.2.826.0.1.3680043.10.77';

export type VolumeSlice = {
  readonly position: readonly [number, number, number];
  readonly orientation?: readonly number[];
  readonly more?: DataSetInput;
  readonly samples?: ArrayLike<number>;
};

/** Sample (row, column) of slice k has 100 k + 10 row + column. */
export function sliceSamples(number: number): Int16Array {
  return Int16Array.from(
    { length: SIZE },
    (_, i) => 100 * number + 10 * Math.floor(i / VOLUME_COLUMNS) + (i % VOLUME_COLUMNS),
  );
}

/** Slices on a line along z, `stepMm` apart. */
export function straight(count: number, stepMm = 2): VolumeSlice[] {
  return Array.from({ length: count }, (_, k) => ({ position: [0, 0, k * stepMm] }));
}

/** The files of one series, one for each slice. Pixels are 1 mm, by default. */
export function writeSeries(
  series: number,
  slices: readonly VolumeSlice[],
  all: DataSetInput = {},
  options: WriteOptions = {},
): Uint8Array[] {
  return slices.map(
    ({ position, orientation = [1, 0, 0, 0, 1, 0], more = {}, samples = sliceSamples(index(slices, position)) }, k) =>
      writeDicom(
        {
          ...commonElements(series, k),
          Modality: 'CT',
          ImagePositionPatient: digits(position),
          ImageOrientationPatient: digits(orientation),
          PixelSpacing: ['1', '1'],
          RescaleSlope: '1',
          RescaleIntercept: '-1024',
          WindowCenter: '40',
          WindowWidth: '400',
          PixelData: Int16Array.from(samples),
          ...all,
          ...more,
        },
        options,
      ),
  );
}

/** Slices with equal positions have equal samples. */
function index(slices: readonly VolumeSlice[], position: VolumeSlice['position']): number {
  return slices.findIndex((slice) => slice.position.join() === position.join());
}

/** One file with several frames. */
export function writeMultiFrame(
  series: number,
  frames: readonly DataSetInput[],
  more: DataSetInput = {},
  samples = Int16Array.from({ length: SIZE * frames.length }, (_, i) => sliceSamples(Math.floor(i / SIZE))[i % SIZE]!),
): Uint8Array {
  return writeDicom({
    ...commonElements(series, 0),
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.1',
    Modality: 'MR',
    NumberOfFrames: frames.length,
    SharedFunctionalGroupsSequence: [
      {
        PlaneOrientationSequence: [{ ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] }],
        PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'] }],
      },
    ],
    PerFrameFunctionalGroupsSequence: frames,
    PixelData: samples,
    ...more,
  });
}

/** The functional groups of a frame at a height. */
export function frameAt(z: number, more: DataSetInput = {}): DataSetInput {
  return { PlanePositionSequence: [{ ImagePositionPatient: ['0', '0', String(z)] }], ...more };
}

export function seriesUid(series: number): string {
  return `${UID}.2.${series}`;
}

function commonElements(series: number, k: number): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: `${UID}.3.${series}.${k + 1}`,
    StudyInstanceUID: `${UID}.1`,
    SeriesInstanceUID: seriesUid(series),
    FrameOfReferenceUID: `${UID}.4.${series}`,
    InstanceNumber: String(k + 1),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: VOLUME_ROWS,
    Columns: VOLUME_COLUMNS,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 1,
  };
}
