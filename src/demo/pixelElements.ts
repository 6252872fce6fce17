import type { DataSetInput, ElementInput } from '../server/standard/dicom/writeDicom.ts';
import { encodeRleFrames, type RleInput } from './rle.ts';

/** Native pixel data of 16 or 32 bits, given as bytes, which the writer uses without another copy. */
export function wordPixels({
  buffer,
  byteOffset,
  byteLength,
}: Int16Array | Uint16Array | Uint32Array | Uint8Array): ElementInput {
  return { vr: 'OW', value: new Uint8Array(buffer, byteOffset, byteLength) };
}

/** The elements that describe gray samples of 8 or more bits. */
export function grayPixels(shape: {
  rows: number;
  columns: number;
  bitsAllocated: number;
  bitsStored: number;
  signed: boolean;
}): DataSetInput {
  return {
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: shape.rows,
    Columns: shape.columns,
    BitsAllocated: shape.bitsAllocated,
    BitsStored: shape.bitsStored,
    HighBit: shape.bitsStored - 1,
    PixelRepresentation: shape.signed ? 1 : 0,
  };
}

/** The elements that describe 8-bit RGB. */
export function colorPixels({ rows, columns }: { rows: number; columns: number }): DataSetInput {
  return {
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
  };
}

/** Frames as RLE Lossless, one fragment each, with a basic offset table. */
export function rlePixels(frames: readonly RleInput[]): ElementInput {
  return { fragments: encodeRleFrames(frames) };
}
