import { readFileSync } from 'node:fs';
import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { join } from '../../support/rawElements.ts';
import { SYNTHETIC_COLUMNS, SYNTHETIC_ROWS } from '../../support/syntheticImage.ts';
import { encapsulated, type HostileFile, refused, shown, shownDamaged, shownInTime } from '../hostileFile.ts';

const SYNTAX = '1.2.840.10008.1.2.4.';
const EIGHT_BIT = {
  Rows: SYNTHETIC_ROWS,
  Columns: SYNTHETIC_COLUMNS,
  BitsAllocated: 8,
  BitsStored: 8,
  HighBit: 7,
  PixelRepresentation: 0,
};

type Family = {
  readonly name: string;
  readonly syntax: string;
  readonly stream: () => Uint8Array;
  /** Changes the size in the header of the stream. */
  readonly resize: (stream: Uint8Array, rows: number, columns: number) => Uint8Array;
  /** Changes the number of bits, for formats that store it in one byte of the header. */
  readonly deepen?: (stream: Uint8Array, bits: number) => Uint8Array;
  /** Whether the decoder produces a picture from half of the stream. */
  readonly showsHalf: boolean;
};

const JPEG: Family = {
  name: 'JPEG',
  syntax: '50',
  stream: () => readStream('jpeg-baseline-q90_8u_gray.jpg'),
  resize: resizeJpeg(0xc0),
  deepen: (stream, bits) => patched(stream, findMarker(stream, 0xc0) + 4, [bits]),
  showsHalf: true,
};
const LOSSLESS_JPEG: Family = {
  name: 'lossless JPEG',
  syntax: '70',
  stream: () => readStream('jpeg-lossless-sv1_8u_gray.jpg'),
  resize: resizeJpeg(0xc3),
  deepen: (stream, bits) => patched(stream, findMarker(stream, 0xc3) + 4, [bits]),
  showsHalf: true,
};
const JPEG_LS: Family = {
  name: 'JPEG-LS',
  syntax: '80',
  stream: () => readStream('jpegls-lossless_8u_gray.jls'),
  resize: resizeJpeg(0xf7),
  deepen: (stream, bits) => patched(stream, findMarker(stream, 0xf7) + 4, [bits]),
  showsHalf: true,
};
const JPEG_2000: Family = {
  name: 'JPEG 2000',
  syntax: '90',
  stream: () => readStream('j2k-lossless_8u_gray.j2k'),
  resize: resizeJ2k,
  deepen: (stream, bits) => patched(stream, 42, [bits - 1]),
  showsHalf: true,
};
const HTJ2K: Family = {
  name: 'HTJ2K',
  syntax: '201',
  stream: () => readStream('htj2k-lossless_8u_gray.jph'),
  resize: resizeJ2k,
  deepen: (stream, bits) => patched(stream, 42, [bits - 1]),
  showsHalf: true,
};
const JPEG_XL: Family = {
  name: 'JPEG XL',
  syntax: '110',
  stream: () => readStream('jxl-lossless_8u_gray.jxl'),
  // Not the `small` form; each dimension minus 1 is stored in 30 bits. The lowest bit comes first.
  resize: (stream, rows, columns) =>
    join(
      stream.subarray(0, 2),
      packBits([0, 1], [3, 2], [rows - 1, 30], [0, 3], [3, 2], [columns - 1, 30]),
      stream.subarray(2),
    ),
  showsHalf: false,
};

/** Streams that declare more than they contain, contradict their data set, or are truncated. */
export const codestreams: readonly HostileFile[] = [
  ...[JPEG, LOSSLESS_JPEG, JPEG_LS, JPEG_2000, HTJ2K, JPEG_XL].flatMap(ofFamily),

  shown('JPEG with a TEM marker', () => coded('50', insertedBefore(JPEG.stream(), 0xda, [0xff, 0x01]))),
  refused('JPEG of 10000 scans', 'pixel_decode_failed', () =>
    coded('50', join(JPEG.stream().subarray(0, -2), Buffer.alloc(100_000, SCAN), END)),
  ),
  refused('progressive JPEG of 10000 scans', 'pixel_decode_failed', () => {
    const progressive = patched(JPEG.stream(), findMarker(JPEG.stream(), 0xc0), [0xff, 0xc2]);
    return coded('50', join(progressive.subarray(0, -2), Buffer.alloc(100_000, SCAN), END));
  }),
  refused('JPEG without a table', 'pixel_decode_failed', () => {
    const stream = JPEG.stream();
    return coded('50', patched(stream, findMarker(stream, 0xc4), [0xff, 0xfe]));
  }),
  refused('JPEG of arithmetic coding', 'pixel_decode_failed', () =>
    coded('50', patched(JPEG.stream(), findMarker(JPEG.stream(), 0xc0), [0xff, 0xc9])),
  ),
  refused('JPEG of no components', 'pixel_decode_failed', () =>
    coded('50', patched(JPEG.stream(), findMarker(JPEG.stream(), 0xc0) + 9, [0])),
  ),
  refused('JPEG of 255 components', 'pixel_decode_failed', () =>
    coded('50', patched(JPEG.stream(), findMarker(JPEG.stream(), 0xc0) + 9, [255])),
  ),
  refused('JPEG-LS of 10000 scans', 'pixel_decode_failed', () =>
    coded('80', join(JPEG_LS.stream().subarray(0, 15), Buffer.alloc(100_000, SCAN), END)),
  ),
  refused('JPEG-LS under the name of JPEG', 'pixel_decode_failed', () => coded('50', JPEG_LS.stream())),
  refused('JPEG under the name of JPEG 2000', 'pixel_decode_failed', () => coded('90', JPEG.stream())),

  refused('JPEG 2000 of tiles of no size', 'pixel_decode_failed', () => coded('90', withTiles(JPEG_2000.stream(), 0))),
  shownInTime('JPEG 2000 of 4096 tiles, of which there is one', () =>
    coded('90', withTiles(resizeJ2k(JPEG_2000.stream(), 64, 64), 1), { Rows: 64, Columns: 64 }),
  ),
  refused('JPEG 2000 of 65025 tiles of one pixel', 'pixel_decode_failed', () =>
    coded('90', withTiles(resizeJ2k(JPEG_2000.stream(), 255, 255), 1), { Rows: 255, Columns: 255 }),
  ),
  refused('JPEG 2000 of a million tiles', 'pixel_decode_failed', () =>
    coded('90', withTiles(resizeJ2k(JPEG_2000.stream(), 1_000, 1_000), 1), { Rows: 1_000, Columns: 1_000 }),
  ),
  refused('JPEG 2000 of 65535 layers', 'pixel_decode_failed', () => coded('90', withLayers(65_535))),
  refused('JPEG 2000 of 255 decompositions', 'pixel_decode_failed', () =>
    coded('90', patched(JPEG_2000.stream(), findMarker(JPEG_2000.stream(), 0x52) + 9, [255])),
  ),
  refused('JPEG 2000 of code blocks of 2^255', 'pixel_decode_failed', () =>
    coded('90', patched(JPEG_2000.stream(), findMarker(JPEG_2000.stream(), 0x52) + 10, [255, 255])),
  ),
  refused('JPEG 2000 of subsampled components', 'pixel_decode_failed', () =>
    coded('90', patched(JPEG_2000.stream(), 43, [255, 255])),
  ),
  refused('JPEG 2000 of 16384 components', 'pixel_decode_failed', () =>
    coded('90', patched(JPEG_2000.stream(), 40, [0x40, 0])),
  ),
  refused('JPEG 2000 without a tile', 'pixel_decode_failed', () =>
    coded('90', JPEG_2000.stream().subarray(0, findMarker(JPEG_2000.stream(), 0x90))),
  ),
  shownInTime('HTJ2K of 4096 tiles, of which there is one', () =>
    coded('201', withTiles(resizeJ2k(HTJ2K.stream(), 64, 64), 1), { Rows: 64, Columns: 64 }),
  ),
  refused('HTJ2K of 65025 tiles of one pixel', 'pixel_decode_failed', () =>
    coded('201', withTiles(resizeJ2k(HTJ2K.stream(), 255, 255), 1), { Rows: 255, Columns: 255 }),
  ),
  refused('JPEG 2000 in a box that contains itself', 'pixel_decode_failed', () =>
    coded('90', Buffer.from('0000000000000000', 'hex')),
  ),
  refused('JPEG XL in a box of no length', 'pixel_decode_failed', () =>
    coded('110', Buffer.from('0000000c4a584c200d0a870a000000006a786c70', 'hex')),
  ),
  refused('video under the name of an image', 'unsupported_transfer_syntax', () => coded('100', JPEG.stream())),
];

/** SOS of one component and two bytes of data, which a decoder interprets as one more scan. */
const SCAN = Uint8Array.of(0xff, 0xda, 0, 6, 1, 1, 0, 0, 0x55, 0x55);
const END = Uint8Array.of(0xff, 0xd9);

function ofFamily({ name, syntax, stream, resize, deepen, showsHalf }: Family): HostileFile[] {
  const half = showsHalf
    ? shownDamaged
    : (of: string, write: () => Uint8Array) => refused(of, 'pixel_decode_failed', write);
  const failed = (of: string, write: () => Uint8Array) => refused(`${name} ${of}`, 'pixel_decode_failed', write);
  return [
    failed('that declares 65535 x 65535', () => coded(syntax, resize(stream(), 65_535, 65_535))),
    refused(`${name} of 65535 x 65535, and so the data set`, 'unsupported_pixel_layout', () =>
      coded(syntax, resize(stream(), 65_535, 65_535), { Rows: 65_535, Columns: 65_535 }),
    ),
    refused(`${name} of 16000 x 16000, and so the data set`, 'decode_memory_exceeded', () =>
      coded(syntax, resize(stream(), 16_000, 16_000), { Rows: 16_000, Columns: 16_000 }),
    ),
    failed('of another size than the data set', () =>
      coded(syntax, stream(), { Rows: SYNTHETIC_COLUMNS, Columns: SYNTHETIC_ROWS }),
    ),
    failed('of one component, where the data set has three', () =>
      coded(syntax, stream(), { SamplesPerPixel: 3, PhotometricInterpretation: 'RGB', PlanarConfiguration: 0 }),
    ),
    ...(deepen === undefined
      ? []
      : [
          failed('that declares 38 bits', () => coded(syntax, deepen(stream(), 38))),
          failed('that declares 1 bit too many', () => coded(syntax, deepen(stream(), 17))),
        ]),
    half(`${name} cut in half`, () => coded(syntax, stream().subarray(0, stream().length >> 1))),
    failed('cut in its header', () => coded(syntax, stream().subarray(0, 10))),
    failed('of one byte', () => coded(syntax, stream().subarray(0, 1))),
    failed('of zeros', () => coded(syntax, new Uint8Array(1_000))),
    failed('of which only the header is there, and a megabyte of zeros', () =>
      coded(syntax, join(stream().subarray(0, 16), new Uint8Array(1_000_000))),
    ),
  ];
}

function coded(syntax: string, stream: Uint8Array, different: DataSetInput = {}): Uint8Array {
  return encapsulated(SYNTAX + syntax, [stream], { ...EIGHT_BIT, ...different });
}

function readStream(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../fixtures/streams/${name}`, import.meta.url)));
}

function findMarker(stream: Uint8Array, marker: number): number {
  return Buffer.from(stream).indexOf(Buffer.of(0xff, marker));
}

function patched(stream: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const copy = Uint8Array.from(stream);
  copy.set(bytes, at);
  return copy;
}

function insertedBefore(stream: Uint8Array, marker: number, bytes: readonly number[]): Uint8Array {
  const at = findMarker(stream, marker);
  return join(stream.subarray(0, at), Uint8Array.from(bytes), stream.subarray(at));
}

function resizeJpeg(frameMarker: number) {
  return (stream: Uint8Array, rows: number, columns: number) =>
    patched(stream, findMarker(stream, frameMarker) + 5, [rows >> 8, rows & 0xff, columns >> 8, columns & 0xff]);
}

/** SIZ has the image size at byte 8 and the size of the only tile, which is the same, at byte 24. */
function resizeJ2k(stream: Uint8Array, rows: number, columns: number): Uint8Array {
  const size = [0, 0, columns >> 8, columns & 0xff, 0, 0, rows >> 8, rows & 0xff];
  return patched(patched(stream, 8, size), 24, size);
}

function withTiles(stream: Uint8Array, edge: number): Uint8Array {
  return patched(stream, 24, [0, 0, 0, edge, 0, 0, 0, edge]);
}

function withLayers(layers: number): Uint8Array {
  return patched(JPEG_2000.stream(), findMarker(JPEG_2000.stream(), 0x52) + 6, [layers >> 8, layers & 0xff]);
}

/** Packs values of the given numbers of bits, starting at the lowest bit of the first byte. */
function packBits(...values: readonly (readonly [value: number, count: number])[]): Uint8Array {
  let all = 0n;
  let length = 0n;
  for (const [value, count] of values) {
    all |= BigInt(value) << length;
    length += BigInt(count);
  }
  return Uint8Array.from({ length: Math.ceil(Number(length) / 8) }, (_, i) => Number((all >> BigInt(8 * i)) & 0xffn));
}
