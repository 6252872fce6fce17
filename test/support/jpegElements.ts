import { readFileSync } from 'node:fs';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

export const JPEG_BASELINE = '1.2.840.10008.1.2.4.50';

/** Reads a stream of test/fixtures/streams, padded to an even number of bytes as fragments require. */
export function readStream(name: string): Uint8Array {
  const bytes = readFileSync(new URL(`../fixtures/streams/${name}`, import.meta.url));
  return new Uint8Array(Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]));
}

/** A color image of the streams' size, 33 x 24, with these fragments. */
export function writeJpeg(fragments: readonly Uint8Array[], more: DataSetInput = {}): Uint8Array {
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
      SOPInstanceUID: '2.25.50',
      Modality: 'OT',
      SamplesPerPixel: 3,
      PhotometricInterpretation: 'YBR_FULL_422',
      PlanarConfiguration: 0,
      Rows: 24,
      Columns: 33,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      PixelData: { fragments },
      ...more,
    },
    { transferSyntaxUid: JPEG_BASELINE },
  );
}

/** Inserts a segment directly after the start of a stream. */
export function insertSegment(stream: Uint8Array, marker: number, content: Uint8Array): Uint8Array {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return new Uint8Array(Buffer.concat([stream.subarray(0, 2), head, content, stream.subarray(2)]));
}

/** Makes an RGB stream that does not say so: removes its Adobe segment and numbers its components 1, 2 and 3. */
export function hideRgb(stream: Uint8Array): Uint8Array {
  const bytes = Buffer.concat([stream.subarray(0, 2), stream.subarray(2 + 2 + 14)]);
  const frame = bytes.indexOf(Buffer.of(0xff, 0xc0));
  const scan = bytes.indexOf(Buffer.of(0xff, 0xda));
  for (const component of [0, 1, 2]) {
    bytes[frame + 10 + 3 * component] = component + 1;
    bytes[scan + 5 + 2 * component] = component + 1;
  }
  return new Uint8Array(bytes);
}
