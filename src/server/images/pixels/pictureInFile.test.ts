import { statSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import { colorRow, ctRow } from '../../../../test/support/imageElements.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import { createGrayTables } from '../../../shared/grayTable.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { type DataSetInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import { createImageFiles, openImage, type OpenImage } from './imageFiles.ts';
import { findPictureInFile } from './pictureInFile.ts';
import { readPresentation } from './presentation/readPresentation.ts';

const BIG_ENDIAN = '1.2.840.10008.1.2.2';
const EXPLICIT: WindowChoice = { kind: 'explicit', center: 39, width: 201 };

test('samples are read in pieces, each from its offset in the frame', () => {
  const PixelData = Int16Array.from({ length: 12 }, (_, i) => i * 100);
  const { samples } = find({ Rows: 2, Columns: 3, NumberOfFrames: '2', PixelData }, { frame: 1 })!;
  const bytes = new Uint8Array(6);
  samples.copyTo(bytes, 2);
  // The second frame begins with sample 6: its third to fifth are 8, 9 and 10.
  expect([samples.length, ...new Int16Array(bytes.buffer)]).toEqual([6, 800, 900, 1000]);
});

test.each<[string, DataSetInput, WindowChoice]>([
  ['its samples decide what the window is', { WindowCenter: [], WindowWidth: [] }, { kind: 'default' }],
  ['the window goes from its smallest to its largest sample', {}, { kind: 'full_dynamic' }],
  ['an overlay lies in the bits above its samples', { BitsStored: 12, HighBit: 11, '60000102': 13 }, EXPLICIT],
  ['its samples do not begin with the lowest bit', { BitsStored: 12, HighBit: 15 }, EXPLICIT],
  [
    'a shutter covers a part of it',
    { ShutterShape: 'CIRCULAR', CenterOfCircularShutter: [1, 2], RadiusOfCircularShutter: 1 },
    EXPLICIT,
  ],
  ['it is in color', colorRow(), EXPLICIT],
])('a frame must be decoded first if %s', (_, elements, choice) => {
  expect(find({}, { choice: EXPLICIT })).toBeDefined();
  expect(find(elements, { choice })).toBeUndefined();
});

test('a frame of big-endian words must be decoded first', () => {
  expect(find({}, { transferSyntaxUid: BIG_ENDIAN })).toBeUndefined();
});

test('a file that shrinks while it is read is gone', () => {
  const PixelData = new Int16Array(300 * 300);
  const path = writeBelow(createTempFolder(), 'a.dcm', writeDicom(ctRow({ Rows: 300, Columns: 300, PixelData })));
  const { size } = statSync(path);
  const read = () =>
    createImageFiles().use(sourceOf(path), (image) => {
      const { samples } = findIn(image, 0, EXPLICIT)!;
      truncateSync(path, size / 2);
      samples.copyTo(new Uint8Array(PixelData.byteLength), 0);
    });
  expect(read).toThrow(expect.objectContaining({ code: 'file_gone' }));
});

type Asked = { readonly frame?: number; readonly choice?: WindowChoice; readonly transferSyntaxUid?: string };

function find(elements: DataSetInput, { frame = 0, choice = EXPLICIT, ...options }: Asked) {
  return findIn(openImage(bufferSource(writeDicom(ctRow(elements), options))), frame, choice);
}

function findIn(image: OpenImage, frame: number, choice: WindowChoice) {
  const presentation = readPresentation(image.object.dataSet, image.pixel, frame);
  return findPictureInFile(image, presentation, { frame, choice }, createGrayTables());
}
