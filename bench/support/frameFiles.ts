import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

declare const NEGATO_ROOT: string;

const HTJ2K = '1.2.840.10008.1.2.4.201';

/** A body with soft edges on a noisy background, like the output of a detector: 12 bits in 16. */
export function drawPhantom(rows: number, columns: number, seed: number): Uint16Array {
  const samples = new Uint16Array(rows * columns);
  let state = seed * 2_654_435_761 + 1;
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let row = 0, at = 0; row < rows; row += 1) {
    const y = (row / rows) * 2 - 1;
    for (let column = 0; column < columns; column += 1, at += 1) {
      const x = (column / columns) * 2 - 1;
      const isInside = x * x * 1.4 + y * y * 2 < 1;
      const tissue = 1040 + 300 * Math.sin(x * 9 + seed) * Math.cos(y * 7);
      samples[at] = isInside ? tissue + noise() * 60 + noise() * 60 : 24 + noise() * 20;
    }
  }
  return samples;
}

/** Elements of a gray image of 12 bits. */
export function grayElements(rows: number, columns: number, instance: number): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: `2.25.771672.${rows}.${columns}.${instance}`,
    StudyInstanceUID: '2.25.771672.1',
    SeriesInstanceUID: `2.25.771672.2.${rows}`,
    Modality: 'CT',
    PatientID: 'PHANTOM',
    PatientName: 'Phantom',
    StudyID: '1',
    SeriesNumber: '1',
    InstanceNumber: String(instance + 1),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    WindowCenter: '40',
    WindowWidth: '400',
    RescaleIntercept: '-1024',
    RescaleSlope: '1',
  };
}

/** `elements` replace those of a CT image. */
export function writeGrayImages(
  folder: string,
  count: number,
  [rows, columns]: readonly [number, number],
  elements: DataSetInput = {},
): string[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, instance) => {
    const path = join(folder, `${String(instance).padStart(4, '0')}.dcm`);
    const PixelData = drawPhantom(rows, columns, instance + 1);
    writeFileSync(path, writeDicom({ ...grayElements(rows, columns, instance), ...elements, PixelData }));
    return path;
  });
}

/** The same image, compressed. `stream` is the bare codestream. */
export type Compressed = { readonly path: string; readonly stream: string };

/** A lossless syntax, and how its encoders call it: `gdcmconv`, or else dcmjs-codecs, which is a library. */
type LosslessSyntax = {
  readonly name: string;
  readonly uid: string;
  readonly gdcmOption: string;
  readonly encoder: 'encodeRle' | 'encodeJpeg' | 'encodeJpegLs' | 'encodeJpeg2000';
};

export const LOSSLESS_SYNTAXES: readonly LosslessSyntax[] = [
  { name: 'RLE', uid: '1.2.840.10008.1.2.5', gdcmOption: '--rle', encoder: 'encodeRle' },
  { name: 'JPEG lossless', uid: '1.2.840.10008.1.2.4.70', gdcmOption: '--jpeg', encoder: 'encodeJpeg' },
  { name: 'JPEG-LS', uid: '1.2.840.10008.1.2.4.80', gdcmOption: '--jpegls', encoder: 'encodeJpegLs' },
  { name: 'JPEG 2000', uid: '1.2.840.10008.1.2.4.90', gdcmOption: '--j2k', encoder: 'encodeJpeg2000' },
];

/** Compresses an image of `writeGrayImages`. */
export async function compressImage(
  source: string,
  size: readonly [number, number],
  syntax: LosslessSyntax,
): Promise<Compressed> {
  const path = source.replace(/\.dcm$/, `${syntax.gdcmOption}.dcm`);
  const stream = path.replace(/\.dcm$/, '.j2k');
  if (spawnSync('gdcmconv', [syntax.gdcmOption, source, path]).status !== 0) {
    const fragments = [await encodeWithLibrary(readSamples(source, size), size, syntax)];
    const number = Number(basename(source, '.dcm')) + 10_000 * (1 + LOSSLESS_SYNTAXES.indexOf(syntax));
    const elements = { ...grayElements(...size, number), PixelData: { fragments } };
    writeFileSync(path, writeDicom(elements, { transferSyntaxUid: syntax.uid }));
  }
  writeFileSync(stream, lastFragment(readFileSync(path)));
  return { path, stream };
}

/** The pixel data are the last element. */
function readSamples(path: string, [rows, columns]: readonly [number, number]): Uint8Array {
  return new Uint8Array(readFileSync(path).subarray(-2 * rows * columns));
}

async function encodeWithLibrary(
  samples: Uint8Array,
  [rows, columns]: readonly [number, number],
  { encoder }: LosslessSyntax,
): Promise<Uint8Array> {
  const require = createRequire(join(NEGATO_ROOT, 'package.json'));
  const { Context, NativeCodecs }: DcmjsCodecs = require('dcmjs-codecs');
  if (!NativeCodecs.isInitialized()) await NativeCodecs.initializeAsync();
  const context = new Context({
    width: columns,
    height: rows,
    bitsAllocated: 16,
    bitsStored: 12,
    samplesPerPixel: 1,
    pixelRepresentation: 0,
    planarConfiguration: 0,
    photometricInterpretation: 'MONOCHROME2',
    decodedBuffer: samples,
  });
  const bytes = NativeCodecs[encoder](context, { lossy: false }).getEncodedBuffer();
  return bytes.length % 2 === 0 ? bytes : Uint8Array.from([...bytes, 0]);
}

type DcmjsCodecs = {
  readonly Context: new (frame: object) => DcmjsContext;
  readonly NativeCodecs: Readonly<
    Record<LosslessSyntax['encoder'], (context: DcmjsContext, parameters: object) => DcmjsContext>
  > & { isInitialized(): boolean; initializeAsync(): Promise<void> };
};
type DcmjsContext = { getEncodedBuffer(): Uint8Array };

/** Copies of the images in every syntax that has an encoder, by size and syntax. */
export async function compressedImages(
  sources: readonly string[],
  size: readonly [number, number],
): Promise<Map<string, string[]>> {
  const images = new Map<string, string[]>();
  for (const syntax of LOSSLESS_SYNTAXES) {
    const paths: string[] = [];
    for (const source of sources) paths.push((await compressImage(source, size, syntax)).path);
    images.set(`${size.join(' x ')}, ${syntax.name}`, paths);
  }
  const paths: string[] = [];
  for (const source of sources) paths.push((await compressHtj2k(source, size)).path);
  return images.set(`${size.join(' x ')}, HTJ2K`, paths);
}

/** The only fragment of a single compressed frame: the bytes between the last item header and the delimiter. */
function lastFragment(file: Buffer): Buffer {
  const pixelData = file.lastIndexOf(Buffer.from([0xe0, 0x7f, 0x10, 0x00, 0x4f, 0x42]));
  let at = pixelData + 12;
  at += 8 + file.readUInt32LE(at + 4);
  return file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
}

/** Uses the encoder of the package that also decodes, because no command line tool is widely available. */
export async function compressHtj2k(source: string, [rows, columns]: readonly [number, number]): Promise<Compressed> {
  const require = createRequire(join(NEGATO_ROOT, 'package.json'));
  const createLibrary: (setup: object) => Promise<OpenJph> = require('@cornerstonejs/codec-openjph/wasmjs');
  const library = await createLibrary({ print: () => undefined, printErr: () => undefined });
  const encoder = new library.HTJ2KEncoder();
  const shape = { width: columns, height: rows, bitsPerSample: 12, componentCount: 1, isSigned: false };
  const samples = drawPhantom(rows, columns, 1);
  encoder.getDecodedBuffer({ ...shape, isUsingColorTransform: false }).set(new Uint8Array(samples.buffer));
  encoder.encode();
  const fragment = new Uint8Array(encoder.getEncodedBuffer());
  const path = source.replace(/\.dcm$/, '-jph.dcm');
  const stream = path.replace(/\.dcm$/, '.jph.j2k');
  writeFileSync(stream, fragment);
  const elements = { ...grayElements(rows, columns, 90_000), PixelData: { fragments: [fragment] } };
  writeFileSync(path, writeDicom(elements, { transferSyntaxUid: HTJ2K }));
  return { path, stream };
}

type OpenJph = {
  readonly HTJ2KEncoder: new () => {
    getDecodedBuffer(shape: object): Uint8Array;
    encode(): void;
    getEncodedBuffer(): Uint8Array;
  };
};

/**
 * A slide of many JPEG tiles whose offset table is empty, so that all fragments must be located; undefined without
 * cjpeg.
 */
export function writeSlide(path: string, tiles: number): string | undefined {
  const edge = 256;
  const ppm = Buffer.alloc(edge * edge * 3);
  const texture = drawPhantom(edge, edge, 5);
  for (let i = 0; i < ppm.length; i += 1) ppm[i] = 200 - (texture[(i / 3) | 0]! >> 5) + (i % 3) * 12;
  const image = `${path}.ppm`;
  writeFileSync(image, Buffer.concat([Buffer.from(`P6 ${edge} ${edge} 255\n`), ppm]));
  const { status, stdout } = spawnSync('cjpeg', ['-quality', '80', image], { maxBuffer: 2 ** 24 });
  rmSync(image);
  if (status !== 0) return undefined;
  const columns = Math.ceil(Math.sqrt(tiles));
  const elements: DataSetInput = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.6',
    SOPInstanceUID: '2.25.771672.77',
    Modality: 'SM',
    NumberOfFrames: String(tiles),
    TotalPixelMatrixColumns: columns * edge,
    TotalPixelMatrixRows: Math.ceil(tiles / columns) * edge,
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'YBR_FULL_422',
    PlanarConfiguration: 0,
    Rows: edge,
    Columns: edge,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: { fragments: Array.from({ length: tiles }, () => new Uint8Array(stdout)), offsetTable: 'none' },
  };
  writeFileSync(path, writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2.4.50' }));
  return path;
}

/** An uncompressed multi-frame file of 2 GiB, most of it a hole. */
export function writeLargeFile(path: string): { path: string; frames: number } {
  const [rows, columns] = [512, 512];
  const frames = 4_094;
  const elements = { ...grayElements(rows, columns, 80_000), NumberOfFrames: String(frames) };
  const header = writeDicom(elements);
  const element = Buffer.from([0xe0, 0x7f, 0x10, 0x00, 0x4f, 0x57, 0, 0, 0, 0, 0, 0]);
  element.writeUInt32LE(frames * rows * columns * 2, 8);
  const file = openSync(path, 'w');
  writeSync(file, header);
  writeSync(file, element);
  ftruncateSync(file, header.length + element.length + frames * rows * columns * 2);
  closeSync(file);
  return { path, frames };
}
