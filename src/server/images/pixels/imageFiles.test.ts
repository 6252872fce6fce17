import {
  mkdirSync,
  openSync,
  closeSync,
  ftruncateSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import { collectGarbage } from '../../../../test/support/collectGarbage.ts';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { encodeRle } from '../../../../test/support/encodeRle.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { type DataSetInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import { createImageFiles, type ImageFile, openImage, type OpenImage } from './imageFiles.ts';
import { readPresentation } from './presentation/readPresentation.ts';
import { readFrame } from './readFrame.ts';
import { placeOf } from '../../bytes/origins/origins.ts';

const BIG_ENDIAN = '1.2.840.10008.1.2.2';
const DEFLATED = '1.2.840.10008.1.2.1.99';
const RLE = '1.2.840.10008.1.2.5';
const ENCAPSULATED_NATIVE = '1.2.840.10008.1.2.1.98';
const DEFLATED_FRAME = '1.2.840.10008.1.2.8.1';

test('the last of 30,000 frames has its own rescale and window', () => {
  const frameCount = 30_000;
  const groups = Array.from({ length: frameCount }, (_, frame) => ({
    FrameContentSequence: [{ StackID: '1', InStackPositionNumber: frame + 1, DimensionIndexValues: [1, frame + 1] }],
    PlanePositionSequence: [{ ImagePositionPatient: [0, 0, frame] }],
    PixelValueTransformationSequence: [{ RescaleIntercept: -frame, RescaleSlope: 2, RescaleType: 'US' }],
    FrameVOILUTSequence: [{ WindowCenter: frame, WindowWidth: 10 }],
  }));
  const bytes = writeDicom({
    ...gray(1, 1, 8),
    NumberOfFrames: frameCount,
    PerFrameFunctionalGroupsSequence: groups,
    PixelData: { vr: 'OB', value: new Uint8Array(frameCount) },
  });

  const { object, pixel } = openImage(bufferSource(bytes));
  const { modality, voi } = readPresentation(object.dataSet, pixel, frameCount - 1);

  expect(modality).toMatchObject({ kind: 'rescale', slope: 2, intercept: -29_999 });
  expect(voi.windows[0]).toMatchObject({ center: 29_999, width: 10 });
});

describe('stored values of a frame', () => {
  test('of each frame of a multi-frame file', async () => {
    const samples = Int16Array.from({ length: 12 }, (_, i) => 100 * i - 500);
    const file = writeImage({
      ...gray(2, 2, 16),
      PixelRepresentation: 1,
      NumberOfFrames: 3,
      PixelData: { vr: 'OW', value: samples },
    });

    expect(await readSamples(file, 0)).toEqual([-500, -400, -300, -200]);
    expect(await readSamples(file, 2)).toEqual([300, 400, 500, 600]);
  });

  test('of one-bit frames that begin inside a byte', async () => {
    // 3 x 3 pixels: frame 1 is bits 9 to 17 of 18.
    const frames = [
      [1, 0, 0, 0, 1, 0, 0, 0, 1],
      [0, 1, 1, 1, 0, 1, 1, 1, 0],
    ];
    const bits = frames.flat();
    const packed = Uint8Array.from({ length: 4 }, (_, byte) =>
      bits.slice(8 * byte, 8 * byte + 8).reduce((sum, bit, i) => sum | (bit << i), 0),
    );
    const file = writeImage({ ...gray(3, 3, 1), NumberOfFrames: 2, PixelData: { vr: 'OB', value: packed } });

    expect(await readSamples(file, 0)).toEqual(frames[0]);
    expect(await readSamples(file, 1)).toEqual(frames[1]);
  });

  test('of big-endian words', async () => {
    const value = { vr: 'OW', value: Uint16Array.of(1, 2, 0x1234, 65535) };
    const file = writeImage({ ...gray(2, 2, 16), PixelData: value }, BIG_ENDIAN);

    expect(await readSamples(file, 0)).toEqual([1, 2, 0x1234, 65535]);
  });

  test('of bytes in big-endian words, if a frame begins in the middle of a word', async () => {
    // Two frames of three bytes, 1 2 3 and 4 5 6, with bytes swapped in words: PS3.5 A.3 and 7.3.
    const value = { vr: 'OW', value: Uint8Array.of(2, 1, 4, 3, 6, 5) };
    const file = writeImage({ ...gray(1, 3, 8), NumberOfFrames: 2, PixelData: value }, BIG_ENDIAN);

    expect(await readSamples(file, 0)).toEqual([1, 2, 3]);
    expect(await readSamples(file, 1)).toEqual([4, 5, 6]);
  });

  test('of an ACR-NEMA image, which declares neither Samples per Pixel nor Photometric Interpretation', async () => {
    const [first, second] = [0x123, 0xabc];
    // Packed lowest bit first: 23, c1, ab.
    const value = Uint8Array.of(first & 0xff, (first >> 8) | ((second & 0xf) << 4), second >> 4, 0);
    const undeclared = { SamplesPerPixel: undefined, PhotometricInterpretation: undefined };
    const file = writeImage({ ...gray(1, 2, 12), ...undeclared, PixelData: { vr: 'OW', value } });

    const frame = await readFrame(createImageFiles(), { file, frame: 0 });

    expect(frame).toMatchObject({ samplesPerPixel: 1, photometricInterpretation: 'MONOCHROME2' });
    expect(Array.from<number | bigint>(frame.samples)).toEqual([first, second]);
  });

  test('of floats', async () => {
    const file = writeImage({
      ...gray(1, 2, 32),
      BitsStored: undefined,
      HighBit: undefined,
      PixelRepresentation: undefined,
      FloatPixelData: Float32Array.of(0.5, -1.25),
    });

    expect(await readSamples(file, 0)).toEqual([0.5, -1.25]);
  });

  test('of a deflated data set', async () => {
    const value = { vr: 'OW', value: Uint16Array.from({ length: 64 * 64 * 3 }, (_, i) => i) };
    const file = writeImage({ ...gray(64, 64, 16), NumberOfFrames: 3, PixelData: value }, DEFLATED);

    expect((await readSamples(file, 2)).slice(0, 3)).toEqual([8192, 8193, 8194]);
  });

  test.each(['none', 'basic', 'extended'] as const)('of RLE frames with the offset table %s', async (offsetTable) => {
    const fragments = [1, 2, 3].map((value) => encodeRle(Uint8Array.of(value, 0, 7, value), 2, 1));
    const file = writeImage({ ...gray(1, 2, 16), NumberOfFrames: 3, PixelData: { fragments, offsetTable } }, RLE);

    expect(await readSamples(file, 1)).toEqual([2, 0x0207]);
    expect(await readSamples(file, 2)).toEqual([3, 0x0307]);
  });

  test('of uncompressed frames in fragments', async () => {
    const fragments = [Uint8Array.of(1, 0, 2, 0), Uint8Array.of(3, 0, 4, 0)];
    const file = writeImage({ ...gray(1, 2, 16), NumberOfFrames: 2, PixelData: { fragments } }, ENCAPSULATED_NATIVE);

    expect(await readSamples(file, 1)).toEqual([3, 4]);
  });

  test('of a deflated frame', async () => {
    // One final block of four stored bytes (RFC 1951, 3.2.4), and a padding byte of the fragment.
    const deflated = Uint8Array.of(1, 4, 0, 0xfb, 0xff, 9, 8, 7, 6, 0);
    const file = writeImage({ ...gray(2, 2, 8), PixelData: { fragments: [deflated] } }, DEFLATED_FRAME);

    expect(await readSamples(file, 0)).toEqual([9, 8, 7, 6]);
  });

  test('with an overlay in the unused bits beside them', async () => {
    const value = { vr: 'OW', value: Uint16Array.of(0x1005, 0x0006, 0xf007) };
    const file = writeImage({ ...gray(1, 3, 16), BitsStored: 12, HighBit: 11, PixelData: value });

    const { samples, planes } = await readFrame(createImageFiles(), { file, frame: 0, options: { planes: [12, 15] } });

    expect(Array.from<number | bigint>(samples)).toEqual([5, 6, 7]);
    expect(planes.map((plane) => [...plane])).toEqual([
      [1, 0, 1],
      [0, 0, 1],
    ]);
  });
});

test('a native frame is found at an offset beyond 31 bits', async () => {
  const head = writeDicom({ ...gray(1024, 1024, 32), NumberOfFrames: 1023 });
  const value = Buffer.from(Uint32Array.of(7, 0xdeadbeef).buffer);
  const path = writeSparse([head, elementHeader('OW', 0xfffffffe)], { at: 1022 * 4 * 1024 * 1024, value }, 0xfffffffe);

  expect((await readSamples(identify(path), 1022)).slice(0, 3)).toEqual([7, 0xdeadbeef, 0]);
});

test('a fragment is found beyond 4 GiB', async () => {
  const head = writeDicom({ ...gray(1, 2, 8), NumberOfFrames: 2 }, { transferSyntaxUid: RLE });
  const rle = encodeRle(Uint8Array.of(5, 6), 1, 1);
  const value = Buffer.concat([itemHeader(rle.length), rle, Buffer.from('feffdde000000000', 'hex')]);
  const start = [head, elementHeader('OB', 0xffffffff), itemHeader(0), itemHeader(0xfffffffe)];
  const path = writeSparse(start, { at: 0xfffffffe, value }, 0xfffffffe + value.length);

  expect(await readSamples(identify(path), 1)).toEqual([5, 6]);
});

test('only the header and the frame of a native file are read', () => {
  const value = { vr: 'OW', value: new Uint16Array(64 * 64 * 100).fill(5) };
  const bytes = writeDicom({ ...gray(64, 64, 16), NumberOfFrames: 100, PixelData: value });
  const source = countingSource(bytes);
  const image = openImage(source);
  const before = source.bytesRead;

  image.readEncoded(57);

  expect(source.bytesRead - before).toBe(64 * 64 * 2);
});

describe('the reason is given for', () => {
  test('a frame that the file does not have', () => {
    const image = openImage(
      bufferSource(writeDicom({ ...gray(1, 2, 8), PixelData: { vr: 'OB', value: Uint8Array.of(1, 2) } })),
    );

    expect(() => image.readEncoded(1)).toThrow(
      expect.objectContaining({ code: 'frame_out_of_range', message: 'frame 1 is outside 0 to 0' }),
    );
  });

  test('a frame whose fragment is missing', () => {
    const fragments = [encodeRle(Uint8Array.of(1, 2), 1, 1)];
    const bytes = writeDicom(
      { ...gray(1, 2, 8), NumberOfFrames: 2, PixelData: { fragments, offsetTable: 'none' } },
      { transferSyntaxUid: RLE },
    );

    expect(() => openImage(bufferSource(bytes)).readEncoded(1)).toThrow(
      expect.objectContaining({ code: 'pixel_decode_failed', message: 'frame 1 is incomplete in the file' }),
    );
  });

  test('an image that declares neither Samples per Pixel nor Photometric Interpretation, and is too long for gray', () => {
    const undeclared = { SamplesPerPixel: undefined, PhotometricInterpretation: undefined };
    const bytes = writeDicom({ ...gray(1, 2, 8), ...undeclared, PixelData: { vr: 'OB', value: new Uint8Array(6) } });

    expect(() => openImage(bufferSource(bytes))).toThrow(
      expect.objectContaining({
        code: 'unsupported_pixel_layout',
        message: expect.stringContaining('samples per pixel missing'),
      }),
    );
  });

  test('a file without pixel data', () => {
    expect(() => openImage(bufferSource(writeDicom(gray(1, 2, 8))))).toThrow(
      expect.objectContaining({ code: 'no_pixel_data' }),
    );
  });
});

describe('a file that is not the scanned one is gone', () => {
  test.each([
    ['deleted', (path: string) => rmSync(path)],
    ['longer', (path: string) => writeFileSync(path, new Uint8Array(8), { flag: 'a' })],
    ['touched', (path: string) => utimesSync(path, 1, 1)],
    ['replaced by a folder', (path: string) => (rmSync(path), mkdirSync(path))],
    ['replaced by a link', (path: string) => (rmSync(path), symlinkSync('/dev/null', path))],
  ])('%s', async (_, change) => {
    const file = writeImage({ ...gray(1, 2, 8), PixelData: { vr: 'OB', value: Uint8Array.of(1, 2) } });
    const images = createImageFiles();
    await readFrame(images, { file, frame: 0 });

    change(placeOf(file));

    await expect(readFrame(images, { file, frame: 0 })).rejects.toMatchObject({ code: 'file_gone' });
  });
});

test('many files in turn are each read correctly, cached or not', async () => {
  const images = createImageFiles();
  const files = Array.from({ length: 20 }, (_, i) =>
    writeImage({ ...gray(1, 2, 8), PixelData: { vr: 'OB', value: Uint8Array.of(i, 2 * i) } }),
  );
  for (const round of [0, 1]) {
    for (const [i, file] of files.entries()) {
      const { samples } = await readFrame(images, { file, frame: 0 });
      expect([round, ...Array.from<number | bigint>(samples)]).toEqual([round, i, 2 * i]);
    }
  }
});

test('the memory of a frame may be transferred to another thread: the next file is still read', () => {
  const images = createImageFiles();
  // Exactly as long as the read window of a file.
  const frame = new Uint8Array(256 * 256).fill(7);
  const first = writeImage({ ...gray(256, 256, 8), PixelData: { vr: 'OB', value: frame } });
  // The offset table is empty and is read with length 0.
  const fragments = [Uint8Array.of(1, 2)];
  const next = writeImage({ ...gray(1, 2, 8), PixelData: { fragments, offsetTable: 'none' } }, ENCAPSULATED_NATIVE);

  const bytes = images.use(first, (image) => image.readEncoded(0));
  const moved = structuredClone(bytes, { transfer: [bytes.buffer] });

  expect(Buffer.compare(moved, frame)).toBe(0);
  expect(images.use(next, (image) => image.readEncoded(0))).toEqual(Uint8Array.of(1, 2));
});

test('no more than 64 MiB of deflated images are kept inflated', async () => {
  const images = createImageFiles();
  const pixels = { ...gray(5_000, 5_000, 8), PixelData: { vr: 'OB', value: new Uint8Array(25_000_000) } };
  const files = Array.from({ length: 5 }, () => writeImage(pixels, DEFLATED));

  const used = files.map((file) => images.use(file, (image) => new WeakRef<OpenImage>(image)));

  const countKept = () => {
    collectGarbage();
    return used.filter((image) => image.deref() !== undefined).length;
  };
  await expect.poll(countKept).toBe(2);
  expect(files.slice(3).map((file) => images.use(file, (image) => image))).toEqual(
    used.slice(3).map((image) => image.deref()),
  );
});

function gray(rows: number, columns: number, bitsAllocated: number): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: '2.25.1',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: bitsAllocated,
    BitsStored: bitsAllocated,
    HighBit: bitsAllocated - 1,
    PixelRepresentation: 0,
  };
}

function writeImage(elements: DataSetInput, transferSyntaxUid = '1.2.840.10008.1.2.1'): ImageFile {
  return identify(writeBelow(createTempFolder(), 'image.dcm', writeDicom(elements, { transferSyntaxUid })));
}

/** A sparse file whose hole takes no disk space. `at` and `size` count from the end of `start`. */
function writeSparse(
  start: readonly Uint8Array[],
  { at, value }: { at: number; value: Uint8Array },
  size: number,
): string {
  const bytes = Buffer.concat(start);
  const path = writeBelow(createTempFolder(), 'long.dcm', bytes);
  const fd = openSync(path, 'r+');
  ftruncateSync(fd, bytes.length + size);
  writeSync(fd, value, 0, value.length, bytes.length + at);
  closeSync(fd);
  return path;
}

/** (7FE0,0010), explicit little-endian. */
function elementHeader(vr: string, length: number): Uint8Array {
  const header = Buffer.from(`e07f1000${Buffer.from(vr).toString('hex')}000000000000`, 'hex');
  header.writeUInt32LE(length, 8);
  return header;
}

function itemHeader(length: number): Uint8Array {
  const header = Buffer.from('feff00e000000000', 'hex');
  header.writeUInt32LE(length, 4);
  return header;
}

function identify(path: string): ImageFile {
  return sourceOf(path);
}

async function readSamples(file: ImageFile, frame: number): Promise<(number | bigint)[]> {
  const { samples } = await readFrame(createImageFiles(), { file, frame });
  return Array.from<number | bigint>(samples);
}

test('a deflated file that is too large to keep is inflated once for all frames of a task', async () => {
  const bytes = writeDicom(
    { ...gray(1, 1, 8), NumberOfFrames: 2, PixelData: Uint8Array.of(1, 2) },
    { transferSyntaxUid: DEFLATED },
  );
  const file = sourceOf(writeBelow(createTempFolder(), 'a.dcm', bytes));
  const images = createImageFiles(0);
  const open = () => images.use(file, ({ object }) => object);
  expect(open()).not.toBe(open());

  const [first, second] = await images.hold(async () => [open(), open()]);
  expect(first).toBe(second);
  expect(open()).not.toBe(second);
});
