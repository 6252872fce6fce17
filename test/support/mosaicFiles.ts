import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import type { WriteOptions } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeSeries, type VolumeSlice } from './volumeFiles.ts';

export const TILE_ROWS = 4;
export const TILE_COLUMNS = 6;

/** An element of a CSA header with its texts. */
export type CsaElement = { readonly name: string; readonly texts: readonly string[] };

/** A CSA header in the form with `SV10`, or in the older one. */
export function writeCsaHeader(elements: readonly CsaElement[], form: 'new' | 'old' = 'new'): Uint8Array {
  const parts: Buffer[] = form === 'new' ? [Buffer.from('SV10\u0004\u0003\u0002\u0001', 'latin1')] : [];
  const head = Buffer.alloc(8);
  head.writeUInt32LE(elements.length, 0);
  head.writeUInt32LE(77, 4);
  parts.push(head);
  const addition = form === 'new' ? 0 : Math.max(6, elements[0]?.texts.length ?? 0);
  for (const [number, { name, texts }] of elements.entries()) {
    // Six items, as scanners write; in the old form the lengths have the number of items of the first element added.
    const count = number === 0 ? Math.max(6, texts.length) : texts.length;
    const element = Buffer.alloc(84);
    element.write(name, 0, 'latin1');
    element.writeUInt32LE(texts.length, 64);
    element.write('FD', 68, 'latin1');
    element.writeUInt32LE(count, 76);
    element.writeUInt32LE(77, 80);
    parts.push(element);
    for (let item = 0; item < count; item += 1) {
      const text = Buffer.from(`${texts[item] ?? ''}${texts[item] === undefined ? '' : '\0'}`, 'latin1');
      const lengths = Buffer.alloc(16);
      lengths.writeUInt32LE(text.length + addition, 0);
      lengths.writeUInt32LE(form === 'new' ? text.length : 0, 4);
      lengths.writeUInt32LE(77, 8);
      parts.push(lengths, text, Buffer.alloc((4 - (text.length % 4)) % 4));
    }
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Group 0029 with a CSA header of the image, of the series, or both. */
export function csaElements({
  image,
  series,
}: {
  readonly image?: Uint8Array;
  readonly series?: Uint8Array;
}): DataSetInput {
  return {
    '00290010': { vr: 'LO', value: 'SIEMENS CSA HEADER' },
    ...(image && { '00291010': { vr: 'OB', value: image } }),
    ...(series && { '00291020': { vr: 'OB', value: series } }),
  };
}

export function imageHeader(count: number, normal: readonly number[], form: 'new' | 'old' = 'new'): Uint8Array {
  const texts = normal.map((part) => part.toFixed(8));
  const elements = [
    { name: 'EchoLinePosition', texts: ['32'] },
    { name: 'NumberOfImagesInMosaic', texts: [String(count)] },
    { name: 'SliceNormalVector', texts },
  ];
  return writeCsaHeader(elements, form);
}

/** Sample of a slice at a row and column. */
export function tileSample(time: number, slice: number, row: number, column: number): number {
  return 500 * time + 100 * slice + 10 * row + column;
}

export type MosaicShape = {
  readonly count: number;
  readonly across: number;
  readonly down: number;
  readonly time?: number;
};

/** The samples of a mosaic; places without a slice are 0. */
export function mosaicSamples({ count, across, down, time = 0 }: MosaicShape): Int16Array {
  const columns = across * TILE_COLUMNS;
  return Int16Array.from({ length: down * TILE_ROWS * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const slice = Math.floor(row / TILE_ROWS) * across + Math.floor(column / TILE_COLUMNS);
    return slice < count ? tileSample(time, slice, row % TILE_ROWS, column % TILE_COLUMNS) : 0;
  });
}

/** A series of mosaics of MR, one for each time, 2 x 3 mm pixels, slices 5 mm apart. */
export function writeMosaics(
  series: number,
  shape: MosaicShape & { readonly times?: number; readonly position?: VolumeSlice['position'] },
  more: DataSetInput = {},
  options: WriteOptions = {},
): Uint8Array[] {
  const { times = 1, position = [-30, -40, 10] } = shape;
  const slices = Array.from({ length: times }, (_, time) => ({
    position,
    more: times > 1 ? { AcquisitionNumber: String(time + 1) } : {},
    samples: mosaicSamples({ ...shape, time }),
  }));
  return writeSeries(
    series,
    slices,
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.4',
      Modality: 'MR',
      Manufacturer: 'SIEMENS',
      ImageType: ['ORIGINAL', 'PRIMARY', 'M', 'ND', 'MOSAIC'],
      Rows: shape.down * TILE_ROWS,
      Columns: shape.across * TILE_COLUMNS,
      PixelSpacing: ['2', '3'],
      SliceThickness: '4',
      SpacingBetweenSlices: '5',
      RescaleSlope: undefined,
      RescaleIntercept: undefined,
      WindowCenter: undefined,
      WindowWidth: undefined,
      ...more,
    },
    options,
  );
}
