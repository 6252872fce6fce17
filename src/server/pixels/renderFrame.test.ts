import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ctRow } from '../../../test/support/imageElements.ts';
import { readPng } from '../../../test/support/readPng.ts';
import { createTempFolder, writeBelow } from '../../../test/support/tempFolder.ts';
import type { KnownFile } from '../dicom/openSameFile.ts';
import { writeDicom } from '../dicom/writeDicom.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import { createFrameRenderer, type FrameRenderer } from './renderFrame.ts';

const CONTEXT: TaskContext = {
  isCancelled: () => false,
  throwIfCancelled: () => undefined,
  transfer: (view) => view,
};

test('pictures that are made in the memory of the one before show nothing of it', async () => {
  const renderer = createFrameRenderer();
  const [large, small] = [writeFlat(300, 1063), writeFlat(200, 1263)];

  // A window of 201 around 39 HU: LINEAR maps -61 to 0, and 39 to (0.5 / 200 + 0.5) x 255 = 128; 239 is beyond it.
  expect(await levelsOf(renderer, large)).toEqual(new Set([128]));
  expect(await levelsOf(renderer, small)).toEqual(new Set([255]));
  expect(await levelsOf(renderer, large)).toEqual(new Set([128]));
});

test('stored values keep their memory when pictures are made after them', async () => {
  const renderer = createFrameRenderer();
  const [file, other] = [writeFlat(300, 1063), writeFlat(300, 1263)];
  await levelsOf(renderer, other);

  const { decoded } = await renderer.raw({ file, frame: 0 }, CONTEXT);
  await levelsOf(renderer, other);
  await levelsOf(renderer, other);

  expect(new Set(Array.from<number | bigint>(decoded.samples))).toEqual(new Set([1063]));
  expect(decoded.samples.byteLength).toBe(decoded.samples.buffer.byteLength);
});

/** A square of one value, too large for the window through which files are read. */
function writeFlat(edge: number, value: number): KnownFile {
  const elements = ctRow({ Rows: edge, Columns: edge, PixelData: new Int16Array(edge * edge).fill(value) });
  const path = writeBelow(createTempFolder(), 'image.dcm', writeDicom(elements));
  const { dev, ino, size, mtimeMs } = statSync(path);
  return { path, identity: { dev, ino, size, mtimeMs } };
}

async function levelsOf(renderer: FrameRenderer, file: KnownFile): Promise<Set<number>> {
  const choice = { kind: 'explicit', center: 39, width: 201 } as const;
  const request = { file, frame: 0, decoded: undefined, choice, isSourceWanted: false, pixelAspectRatio: undefined };
  const { bytes } = await renderer.display(request, CONTEXT);
  return new Set(readPng(bytes).pixels);
}
