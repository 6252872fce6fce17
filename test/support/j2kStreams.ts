import { readdirSync, readFileSync } from 'node:fs';
import { createImageFiles } from '../../src/server/images/pixels/imageFiles.ts';
import { findCodestream, readJ2kHeader } from '../../src/server/images/pixels/codecs/j2kHeader.ts';
import type { ImagePixel } from '../../src/server/images/pixels/imagePixel.ts';
import { createImagePixel } from './createImagePixel.ts';
import { loadJ2kEncoder } from './encodeJ2k.ts';
import { isDecodable, readReferenceFrames, toImageFile } from './referenceFrames.ts';

/** An undamaged JPEG 2000 stream, and the data set that it belongs to. */
export type J2kStream = { readonly name: string; readonly bytes: Uint8Array; readonly pixel: ImagePixel };

const STREAMS = new URL('../fixtures/streams/', import.meta.url);

/** Streams of the fixtures, and encoded ones: several layers, progressions and sizes of code-blocks, with and without loss. */
export async function listJ2kStreams(): Promise<readonly J2kStream[]> {
  const fixtures = readdirSync(STREAMS)
    .filter((name) => name.startsWith('j2k-'))
    .map((name) => describe(name, new Uint8Array(readFileSync(new URL(name, STREAMS)))));
  const encode = await loadJ2kEncoder();
  const encoded = [1, 3].flatMap((components) =>
    [false, true].flatMap((isLossy) =>
      [[], [30, 10, isLossy ? 4 : 0]].flatMap((ratios, i) => {
        const [rows, columns, precision] = [100, 120, components === 1 ? 12 : 8];
        const image = {
          rows,
          columns,
          components,
          precision,
          signed: false,
          isLossy,
          ratios,
          progression: (components + i) % 5,
        };
        const samples = paint(rows, columns, components, 2 ** precision);
        const name = `encoded, ${components} components, ${ratios.length} layers${isLossy ? ', lossy' : ''}`;
        return describe(
          name,
          encode({ ...image, samples, blockWidth: i === 0 ? 64 : 32, blockHeight: 32, levels: 4 - i }),
        );
      }),
    ),
  );
  return [...fixtures, ...encoded];
}

/** The streams of real files, at most one for each file. */
export function listCorpusJ2k(corpus: string): readonly J2kStream[] {
  const images = createImageFiles();
  const first = readReferenceFrames(corpus).filter((frame) => isDecodable(frame) && Number(frame.frame || 1) === 1);
  return first.flatMap((reference) => {
    const { path } = reference;
    return images.use(toImageFile(corpus, reference), (image) => {
      const { pixel } = image;
      if (!/\.4\.9[0-3]$/.test(pixel.transferSyntaxUid)) return [];
      return [{ name: path, bytes: findCodestream(image.readEncoded(0)), pixel }];
    });
  });
}

function describe(name: string, bytes: Uint8Array): J2kStream {
  const { rows, columns, components: samplesPerPixel, precision, signed } = readJ2kHeader(bytes);
  const pixel = createImagePixel({
    transferSyntaxUid: '1.2.840.10008.1.2.4.91',
    rows,
    columns,
    samplesPerPixel,
    bitsAllocated: precision > 8 ? 16 : 8,
    bitsStored: precision,
    pixelRepresentation: signed ? 1 : 0,
    encapsulated: true,
    pixelDataVr: 'OB',
  });
  return { name, bytes, pixel };
}

/** Soft shapes with noise, as in most images. */
function paint(rows: number, columns: number, components: number, range: number): number[] {
  return Array.from({ length: rows * columns * components }, (_, i) => {
    const [component, x, y] = [
      i % components,
      Math.floor(i / components) % columns,
      Math.floor(i / components / columns),
    ];
    const noise = (Math.imul(i + 1, 2654435761) >>> 20) / 4096;
    const shape = Math.sin(x / (7 + component)) * Math.cos(y / 11) + (x > 40 && y > 30 && x + y < 150 ? 0.7 : 0);
    return Math.max(0, Math.min(range - 1, Math.floor(range * (0.4 + 0.2 * shape + 0.03 * noise))));
  });
}
