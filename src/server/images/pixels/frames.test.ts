import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import { encodeRle } from '../../../../test/support/encodeRle.ts';
import { ctRow } from '../../../../test/support/imageElements.ts';
import { grayOf, readPng } from '../../../../test/support/readPng.ts';
import { type DataSetInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { createWorkerPool } from '../../machine/workers/workerPool.ts';
import { createMemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { createFrames, type FrameFile } from './frames.ts';
import { placeOf } from '../../bytes/origins/origins.ts';
import { NOBODY } from '../../../../test/support/nobody.ts';

describe('a display frame', () => {
  test('is a PNG with the requested window, and reports that window', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();

    const { bytes, window, cached } = await frames.display(file, 0, { wc: 40, ww: 400 }, NOBODY);

    expect(grayOf(bytes)).toEqual([0, 128, 255]); // -161, 40 and 240 HU
    expect(window).toEqual({ center: 40, width: 400, applied: 'linear' });
    expect(cached).toBe(false);
  });

  test('comes from the cache for the same window only', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();
    const first = await frames.display(file, 0, { wc: 40, ww: 400 }, NOBODY);

    const again = await frames.display(file, 0, { wc: 40, ww: 400 }, NOBODY);
    const other = await frames.display(file, 0, { wc: 41, ww: 400 }, NOBODY);
    const full = await frames.display(file, 0, { wc: 40, ww: 400, mode: 'full_dynamic' }, NOBODY);

    expect(again).toEqual({ ...first, cached: true });
    expect([other.cached, full.cached]).toEqual([false, false]);
    // Full dynamic takes precedence over the explicit window: -161 to 240.
    expect(full.window?.width).toBe(402);
  });

  test('needs no worker if it comes from the cache', async () => {
    const { frames, pool } = createPipeline();
    const file = await writeImage();

    for (let round = 0; round < 4; round++) await frames.display(file, 0, {}, NOBODY);

    expect(pool.statistics()).toMatchObject({ completed: 1, failed: 0 });
  });

  test('is decoded once for identical concurrent requests', async () => {
    const { frames, pool } = createPipeline();
    const file = await writeImage();

    const all = await Promise.all([1, 2, 3, 4].map(() => frames.display(file, 0, {}, NOBODY)));

    expect(new Set(all.map(({ bytes }) => bytes)).size).toBe(1);
    expect(pool.statistics()).toMatchObject({ completed: 1 });
  });

  test('is decoded once for any number of windows', async () => {
    const { frames, pool } = createPipeline();
    const file = await writeCompressedImage();
    const windows = [100, 200, 300, 400, 500];

    const all = await Promise.all(windows.map((ww) => frames.display(file, 0, { wc: 40, ww }, NOBODY)));
    const raw = await frames.raw(file, 0, NOBODY);

    // -161, 40 and 240 HU: the third is outside the windows of width up to 400.
    expect(all.map(({ bytes }) => grayOf(bytes)[2])).toEqual([255, 255, 255, 255, 230]); // (240 - 39.5) / 499 + 0.5
    expect(raw.cached).toBe(true);
    // The thread that decodes also draws the first window.
    expect(pool.statistics()).toMatchObject({ completed: windows.length });
  });

  test("is made of a copy that is the worker's, and what is kept stays whole", async () => {
    const { pool } = createPipeline();
    const moved: number[][] = [];
    const tasks: TaskRunner = {
      run(task, input, options) {
        moved.push((options.transfer ?? []).map(({ byteLength }) => byteLength));
        return pool.run(task, input, options);
      },
    };
    const frames = createFrames({ tasks, memory: createMemoryAccount(512 * 2 ** 20) });
    const file = await writeCompressedImage();

    await frames.display(file, 0, { wc: 40, ww: 400 }, NOBODY);
    await frames.display(file, 0, { wc: 40, ww: 500 }, NOBODY);
    await frames.packed(file, 0, NOBODY);
    await frames.thumbnail(file, 0, { size: 3 }, NOBODY);

    // Nothing is transferred for the first picture, which is decoded, and for each of the others three samples of two
    // bytes.
    expect(moved).toEqual([[], [6], [6], [6]]);
    const { bytes, cached } = await frames.raw(file, 0, NOBODY);
    expect(new Int16Array(bytes.buffer)).toEqual(Int16Array.of(863, 1064, 1264));
    expect(cached).toBe(true);
  });

  test('keeps the shape of its pixels', async () => {
    const { frames } = createPipeline();
    const { bytes } = await frames.display({ ...(await writeImage()), pixelAspectRatio: 2 }, 0, {}, NOBODY);
    expect(readPng(bytes).chunks.has('pHYs')).toBe(true);
  });
});

describe('a raw frame', () => {
  test('holds a reservation of the decode budget while it is made, and none afterwards', async () => {
    const { frames, memory } = createPipeline();
    const file = await writeImage();

    const making = frames.raw(file, 0, NOBODY);
    // Polls on every turn of the event loop: memory is reserved in one turn and released in a later one.
    while (memory.tasks.heldBytes() === 0) await setImmediate();

    // Three samples of 2 bytes, times 3, plus twice the encoded file and 16 MiB, and 12 times the header.
    const header = file.fileBytes - 6;
    expect(memory.tasks.heldBytes()).toBe(18 + 2 * file.fileBytes + 16 * 2 ** 20 + 12 * header);
    await making;
    expect(memory.tasks.heldBytes()).toBe(0);
  });

  test('consists of the stored samples and their meaning', async () => {
    const { frames } = createPipeline();
    const file = await writeImage({ PixelPaddingValue: { vr: 'SS', value: [-2000] } });

    const { bytes, cached, changes, ...description } = await frames.raw(file, 0, NOBODY);

    expect(new Int16Array(bytes.buffer)).toEqual(Int16Array.of(863, 1064, 1264));
    expect(description).toEqual({
      rows: 1,
      columns: 3,
      samplesPerPixel: 1,
      bitsAllocated: 16,
      pixelRepresentation: 1,
      photometricInterpretation: 'MONOCHROME2',
      rescaleSlope: 1,
      rescaleIntercept: -1024,
      defaultWindow: { center: 50, width: 350 },
      padding: { low: -2000, high: -2000 },
      sampleKind: 'integer',
      voiLutFunction: undefined,
      presentation: 'raw',
      outOfRange: 0,
    });
    expect([cached, changes]).toEqual([false, []]);
    expect((await frames.raw(file, 0, NOBODY)).cached).toBe(true);
  });
});

describe('a thumbnail', () => {
  test('has the requested size as its longer edge, and averages the pixels that it covers', async () => {
    const { frames } = createPipeline();
    // The window maps bytes to themselves; pairs of columns become one pixel.
    const pixels = { Columns: 4, WindowCenter: '128', WindowWidth: '256', RescaleIntercept: '0' };
    const file = await writeImage({ ...pixels, PixelData: Int16Array.of(0, 10, 100, 201) });

    const { bytes: png } = await frames.thumbnail({ ...file, columns: 4 }, 0, { size: 2 }, NOBODY);

    expect(readPng(png)).toMatchObject({ rows: 1, columns: 2 });
    expect(grayOf(png)).toEqual([5, 151]);
  });

  test('is never larger than the frame', async () => {
    const { frames } = createPipeline();
    const { bytes: png } = await frames.thumbnail(await writeImage(), 0, { size: 512 }, NOBODY);
    expect(readPng(png)).toMatchObject({ rows: 1, columns: 3 });
  });
});

describe('a frame that cannot be delivered', () => {
  test.each([
    ['without pixel data', { hasPixels: false }, 0, {}, 'no_pixel_data'],
    ['beyond the last', {}, 7, { wc: 1 }, 'frame_out_of_range'],
    ['with half a window', {}, 0, { wc: 40 }, 'invalid_window'],
    ['with a window of width 0', {}, 0, { wc: 40, ww: 0 }, 'invalid_window'],
    ['with a center that is no number', {}, 0, { wc: NaN, ww: 4 }, 'invalid_window'],
    ['larger than memory', { rows: 60_000, columns: 60_000 }, 0, {}, 'decode_memory_exceeded'],
  ])('%s is refused', async (_, change, frame, query, code) => {
    const { frames, pool } = createPipeline();
    const file = { ...(await writeImage()), ...change };
    await expect(frames.display(file, frame, query, NOBODY)).rejects.toMatchObject({ code });
    expect(pool.statistics().started).toBe(0);
  });

  test('is gone if its file has changed, even if it is cached', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();
    await frames.display(file, 0, {}, NOBODY);
    await writeFile(placeOf(file.source), 'something else');
    await expect(frames.display(file, 0, {}, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
    await expect(frames.raw(file, 0, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
  });

  test('is gone if its file has changed, however often it came from the cache before', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();
    for (let round = 0; round < 5; round++) await frames.display(file, 0, {}, NOBODY);
    // The same size, but another modification time.
    await utimes(placeOf(file.source), 1, 1);
    await expect(frames.display(file, 0, {}, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
    await rm(placeOf(file.source));
    await expect(frames.display(file, 0, {}, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
  });

  test('is available again if its moved file is moved back', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();
    await rename(placeOf(file.source), `${placeOf(file.source)}.away`);
    await expect(frames.display(file, 0, {}, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
    await rename(`${placeOf(file.source)}.away`, placeOf(file.source));
    expect((await frames.display(file, 0, {}, NOBODY)).cached).toBe(false);
  });

  test('is decoded nevertheless for the others that wait for it', async () => {
    const { frames, memory } = createPipeline();
    const file = await writeCompressedImage();
    // An image is no presentation state.
    const state = { source: file.source, sopInstanceUid: '1.2.3', seriesInstanceUid: '1.2' };

    const drawing = Promise.allSettled([frames.display(file, 0, { state }, NOBODY)]);
    // It is decoding now.
    while (memory.tasks.heldBytes() === 0) await setImmediate();
    const other = await frames.display(file, 0, {}, NOBODY);

    expect(other).toMatchObject({ mediaType: 'image/png' });
    const [drawn] = await drawing;
    expect(drawn).toMatchObject({ status: 'rejected', reason: { code: 'semantic_mapping_unavailable' } });
  });

  test('does not fail the next request if its own request was aborted', async () => {
    const { frames } = createPipeline();
    const file = await writeImage();
    const aborter = new AbortController();
    const aborted = frames.display(file, 0, {}, { signal: aborter.signal });
    aborter.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    expect(grayOf((await frames.display(file, 0, {}, NOBODY)).bytes)).toHaveLength(3);
  });
});

function createPipeline() {
  const pool = createWorkerPool({ size: 2 });
  onTestFinished(() => pool.close());
  const memory = createMemoryAccount(512 * 2 ** 20);
  return { pool, memory, frames: createFrames({ tasks: pool, memory }) };
}

/** The row of `writeImage`, compressed. */
function writeCompressedImage(): Promise<FrameFile> {
  const samples = new Uint8Array(Int16Array.of(863, 1064, 1264).buffer);
  return writeImage({ PixelData: { fragments: [encodeRle(samples, 2, 1)] } }, '1.2.840.10008.1.2.5');
}

/** A row of three CT samples: -161, 40 and 240 HU. */
async function writeImage(more: DataSetInput = {}, transferSyntaxUid = '1.2.840.10008.1.2.1'): Promise<FrameFile> {
  const bytes = writeDicom(ctRow(more), { transferSyntaxUid });
  const folder = await mkdtemp(join(tmpdir(), 'negato-frames-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'image.dcm');
  await writeFile(path, bytes);
  return {
    source: sourceOf(path),
    hasPixels: true,
    supportState: 'renderable',
    pixelAspectRatio: undefined,
    rows: 1,
    columns: 3,
    samplesPerPixel: 1,
    bitsAllocated: 16,
    frameCount: 1,
    fileBytes: bytes.length,
    transferSyntaxUid,
  };
}
