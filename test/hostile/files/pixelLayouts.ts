import { explicit, implicit, item, join, part10, sequenceEnd, UNDEFINED } from '../../support/rawElements.ts';
import {
  encapsulated,
  type HostileFile,
  image,
  IMAGE_HEADER,
  imageAround,
  longs,
  refused,
  shown,
  words,
} from '../hostileFile.ts';

const RLE = '1.2.840.10008.1.2.5';
/** For objects whose frames are sorted, because they belong to a series. */
const IN_A_SERIES = { StudyInstanceUID: '2.25.1', SeriesInstanceUID: '2.25.4' };

/**
 * Attributes that contradict each other or the pixel data, or overflow 32-bit arithmetic. Six bytes are less than a
 * frame of a large image, and this is detected before anything else.
 */
export const pixelLayouts: readonly HostileFile[] = [
  shown('Rows as UL', () => image({ Rows: { vr: 'UL', value: longs(1) } })),
  refused('Rows as UL of 2^32-1', 'unsupported_pixel_layout', () =>
    image({ Rows: { vr: 'UL', value: longs(2 ** 32 - 1) } }),
  ),
  refused('Rows below 0', 'unsupported_pixel_layout', () => image({ Rows: { vr: 'SS', value: words(0xffff) } })),
  refused('Rows 0', 'unsupported_pixel_layout', () => image({ Rows: 0 })),
  refused('Rows of no value', 'unsupported_pixel_layout', () => image({ Rows: '' })),
  refused('Rows in letters', 'unsupported_pixel_layout', () => image({ Rows: { vr: 'LO', value: 'one' } })),
  refused('Columns of FD infinity', 'unsupported_pixel_layout', () =>
    image({ Columns: { vr: 'FD', value: new Uint8Array(Float64Array.of(Infinity).buffer) } }),
  ),
  refused('65535 x 65535', 'frame_out_of_range', () => image({ Rows: 65_535, Columns: 65_535 })),
  refused('65535 x 65535 x 2^31-1 frames', 'frame_out_of_range', () =>
    image({ Rows: 65_535, Columns: 65_535, NumberOfFrames: '2147483647' }),
  ),
  // 32768 x 32768 x 4 bytes are 2^32, which is 0 in 32-bit arithmetic.
  refused('32768 x 32768 x 32 bits', 'frame_out_of_range', () =>
    image({ Rows: 32_768, Columns: 32_768, BitsAllocated: 32, BitsStored: 32, HighBit: 31 }),
  ),
  refused('16384 x 16384 and six bytes', 'frame_out_of_range', () => image({ Rows: 16_384, Columns: 16_384 })),
  refused('16384 x 16384 x 3 of RLE and six bytes', 'decode_memory_exceeded', () =>
    encapsulated(RLE, [new Uint8Array(6)], {
      Rows: 16_384,
      Columns: 16_384,
      SamplesPerPixel: 3,
      PhotometricInterpretation: 'RGB',
      PlanarConfiguration: 0,
    }),
  ),
  refused('65535 samples per pixel', 'frame_out_of_range', () => image({ SamplesPerPixel: 65_535 })),
  shown('High Bit 255', () => image({ HighBit: 255 })),
  shown('High Bit 65535', () => image({ HighBit: 65_535 })),
  refused('Bits Allocated 0', 'unsupported_pixel_layout', () => image({ BitsAllocated: 0 })),
  refused('Bits Allocated 65535', 'frame_out_of_range', () => image({ BitsAllocated: 65_535 })),
  refused('Bits Stored 17 of 16', 'unsupported_pixel_layout', () => image({ BitsStored: 17 })),
  refused('Bits Stored 0', 'unsupported_pixel_layout', () => image({ BitsStored: 0 })),
  refused('Pixel Representation 7', 'unsupported_pixel_layout', () => image({ PixelRepresentation: 7 })),
  refused('a photometric interpretation of 1000 letters', 'unsupported_pixel_layout', () =>
    image({ PhotometricInterpretation: { vr: 'CS', value: Buffer.alloc(1_000, 'A') } }),
  ),
  shown('2^31-1 frames and one of them', () => image({ NumberOfFrames: '2147483647' })),
  shown('2^31 frames and one of them', () => image({ NumberOfFrames: '2147483648' })),
  refused('10^12 frames', 'unsupported_pixel_layout', () =>
    image({ NumberOfFrames: { vr: 'IS', value: Buffer.from('1000000000000 ') } }),
  ),
  refused('-1 frames', 'unsupported_pixel_layout', () => image({ NumberOfFrames: '-1' })),
  shown('2^31-1 frames in one fragment', () =>
    encapsulated(RLE, [rleOfThreeSamples()], { NumberOfFrames: '2147483647' }),
  ),
  refused('a video of 2^31-1 frames', 'unsupported_transfer_syntax', () =>
    encapsulated('1.2.840.10008.1.2.4.102', [new Uint8Array(100)], { ...IN_A_SERIES, NumberOfFrames: '2147483647' }),
  ),
  refused('2^31-1 frames of no size', 'unsupported_pixel_layout', () =>
    image({ ...IN_A_SERIES, Rows: undefined, NumberOfFrames: '2147483647' }),
  ),
  refused('no pixel data', 'no_pixel_data', () => image({ PixelData: undefined })),
  refused('pixel data of no bytes', 'no_pixel_data', () => image({ PixelData: new Uint8Array(0) })),
  refused('pixel data two bytes short', 'frame_out_of_range', () => image({ PixelData: new Uint8Array(4) })),
  shown('pixel data that claims 2^32-2 bytes', () =>
    part10(join(IMAGE_HEADER(), explicit(0x7fe00010, 'OW', new Uint8Array(6), 2 ** 32 - 2))),
  ),
  refused('native syntax, encapsulated pixels', 'unsupported_transfer_syntax', () =>
    part10(
      join(IMAGE_HEADER(), explicit(0x7fe00010, 'OB', join(item(), item(new Uint8Array(6))), UNDEFINED), sequenceEnd()),
    ),
  ),
  refused('encapsulated syntax, native pixels', 'unsupported_transfer_syntax', () =>
    part10(join(IMAGE_HEADER(), explicit(0x7fe00010, 'OW', new Uint8Array(6))), RLE),
  ),
  refused('a transfer syntax of 1000 characters', 'unsupported_transfer_syntax', () =>
    part10(join(IMAGE_HEADER(), explicit(0x7fe00010, 'OW', new Uint8Array(6))), '1.2.'.repeat(250)),
  ),
  shown('a second pixel data in a private sequence', () =>
    imageAround(explicit(0x00411010, 'SQ', item(implicit(0x7fe00010, new Uint8Array(8), 2 ** 31)))),
  ),
];

/** A header, then one literal run of three bytes for each of the two bytes of a sample. */
function rleOfThreeSamples(): Uint8Array {
  const header = longs(2, 64, 68, ...Array.from({ length: 13 }, () => 0));
  return join(header, Uint8Array.of(2, 3, 4, 4), Uint8Array.of(2, 95, 40, 240));
}
