import { sourceOf } from '../../../../test/support/sources.ts';
import { createImageFiles } from './imageFiles.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ctRow } from '../../../../test/support/imageElements.ts';
import { readPng } from '../../../../test/support/readPng.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import type { DataSetInput } from '../../standard/dicom/dataSetInput.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { createFrameRenderer, type FrameRenderer } from './renderFrame.ts';

const CONTEXT: TaskContext = {
  isCancelled: () => false,
  throwIfCancelled: () => undefined,
  transfer: (view) => view,
};

test('a picture made in the memory of the previous one shows nothing of it', async () => {
  const renderer = createFrameRenderer(createImageFiles());
  const [large, small] = [writeFlat(300, 1063), writeFlat(200, 1263)];

  // A window of 201 around 39 HU: LINEAR maps -61 to 0, and 39 to (0.5 / 200 + 0.5) x 255 = 128; 239 is outside.
  expect(await levelsOf(renderer, large)).toEqual(new Set([128]));
  expect(await levelsOf(renderer, small)).toEqual(new Set([255]));
  expect(await levelsOf(renderer, large)).toEqual(new Set([128]));
});

test('stored values keep their memory when later pictures are made', async () => {
  const renderer = createFrameRenderer(createImageFiles());
  const [file, other] = [writeFlat(300, 1063), writeFlat(300, 1263)];
  await levelsOf(renderer, other);

  const { decoded } = await renderer.raw({ file, frame: 0 }, CONTEXT);
  await levelsOf(renderer, other);
  await levelsOf(renderer, other);

  expect(new Set(Array.from<number | bigint>(decoded.samples))).toEqual(new Set([1063]));
  expect(decoded.samples.byteLength).toBe(decoded.samples.buffer.byteLength);
});

/** Images whose words are noise, including the bits outside the samples. */
const noisyImages = fc
  .record({
    allocated: fc.constantFrom(8, 16),
    stored: fc.integer({ min: 1, max: 16 }),
    above: fc.integer({ min: 0, max: 3 }),
    signed: fc.boolean(),
    inverted: fc.boolean(),
    // From a single short row to several stripes, and frames that end within a read.
    size: fc.constantFrom([1, 5], [40, 33], [300, 257], [900, 701]),
    frames: fc.integer({ min: 1, max: 2 }),
    padding: fc.option(fc.integer({ min: 0, max: 255 })),
    seed: fc.integer(),
  })
  .map(({ allocated, stored, above, signed, inverted, size: [rows, columns], frames, padding, seed }) => {
    const bits = Math.min(stored, allocated);
    const samples = new (allocated === 8 ? Uint8Array : Uint16Array)(rows * columns * frames);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.imul(i + seed, 2_654_435_761) >>> 15;
    return {
      BitsAllocated: allocated,
      BitsStored: bits,
      HighBit: Math.min(bits - 1 + above, allocated - 1),
      PixelRepresentation: signed ? 1 : 0,
      PhotometricInterpretation: inverted ? 'MONOCHROME1' : 'MONOCHROME2',
      Rows: rows,
      Columns: columns,
      NumberOfFrames: String(frames),
      ...(padding === null ? {} : { PixelPaddingValue: padding }),
      PixelData: samples,
    };
  });

test('a picture of any size is the same whether its frame is read in pieces or was decoded before', async () => {
  const renderer = createFrameRenderer(createImageFiles());
  const choices = fc.constantFrom(
    { kind: 'default' } as const,
    { kind: 'explicit', center: -1000, width: 90 } as const,
    { kind: 'full_dynamic' } as const,
  );
  await fc.assert(
    fc.asyncProperty(noisyImages, choices, async (elements, choice) => {
      const file = writeImage(elements);
      const frame = Number(elements.NumberOfFrames) - 1;
      const { decoded } = await renderer.raw({ file, frame }, CONTEXT);
      const request = { file, frame, choice, isSourceWanted: false, pixelAspectRatio: undefined, size: 32 };
      for (const make of [renderer.display, renderer.thumbnail]) {
        const read = await make({ ...request, decoded: undefined }, CONTEXT);
        const known = await make({ ...request, decoded }, CONTEXT);
        expect(read.window).toEqual(known.window);
        expect(Buffer.compare(read.bytes, known.bytes)).toBe(0);
      }
    }),
    { numRuns: 150 },
  );
});

/** A square of one value, too large for the read window of a file. */
function writeFlat(edge: number, value: number): KnownSource {
  return writeImage({ Rows: edge, Columns: edge, PixelData: new Int16Array(edge * edge).fill(value) });
}

function writeImage(elements: DataSetInput): KnownSource {
  const path = writeBelow(createTempFolder(), 'image.dcm', writeDicom(ctRow(elements)));
  return sourceOf(path);
}

async function levelsOf(renderer: FrameRenderer, file: KnownSource): Promise<Set<number>> {
  const choice = { kind: 'explicit', center: 39, width: 201 } as const;
  const request = { file, frame: 0, decoded: undefined, choice, isSourceWanted: false, pixelAspectRatio: undefined };
  const { bytes } = await renderer.display(request, CONTEXT);
  return new Set(readPng(bytes).pixels);
}
