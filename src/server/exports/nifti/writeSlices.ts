import { ViewerError } from '../../../shared/contract/errors.ts';
import { formatFrameDamage } from '../../../shared/frameDamage.ts';
import type { ImageFiles } from '../../pixels/imageFiles.ts';
import { loadSlices } from '../../volumes/loadSlices.ts';
import { bytesOfSample, viewSamples } from '../../volumes/sampleView.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import type { SliceToWrite, WriteSlicesInput } from '../exportTasks.ts';
import { type GzipPart, packGzipPart } from '../gzipParts.ts';

/** Decodes slices into the form of a file, and packs them. Runs in a worker. */
export async function packSlices(images: ImageFiles, input: WriteSlicesInput, context: TaskContext): Promise<GzipPart> {
  const part = packGzipPart(await writeSlices(images, input, context));
  return { ...part, packed: context.transfer(part.packed) };
}

/** Decodes slices into the form of a file. Runs in a worker. A slice that is damaged ends it: the file could not say so. */
export async function writeSlices(
  images: ImageFiles,
  input: WriteSlicesInput,
  context: TaskContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const { rows, columns, slices, storage, isModality, written } = input;
  const size = rows * columns;
  const buffer = new SharedArrayBuffer(slices.length * size * bytesOfSample(storage));
  const toLoad = slices.map(({ source, frame }, place) => ({ source, frame, place }));
  const loaded = await loadSlices(images, { storage, isModality, rows, columns, buffer, slices: toLoad }, context);
  for (const { place, failure, damage } of loaded) {
    if (failure !== undefined) throw new ViewerError(failure.code, `${describe(slices[place]!)}: ${failure.message}`);
    if (damage !== undefined) {
      const message = `${describe(slices[place]!)} is damaged: ${formatFrameDamage(damage)}`;
      throw new ViewerError('pixel_decode_failed', message);
    }
  }
  const samples = viewSamples(storage, buffer);
  const out = new ArrayBuffer(slices.length * size * bytesOfSample(written));
  const target = viewSamples(written, out);
  for (const [place, { rescale }] of slices.entries()) {
    for (let row = 0; row < rows; row += 1) {
      const from = place * size + (rows - 1 - row) * columns;
      const to = place * size + row * columns;
      if (rescale === undefined) {
        target.set(samples.subarray(from, from + columns), to);
        continue;
      }
      const { slope, intercept } = rescale;
      for (let column = 0; column < columns; column += 1) {
        target[to + column] = samples[from + column]! * slope + intercept;
      }
    }
    context.throwIfCancelled();
  }
  return new Uint8Array(out);
}

function describe({ fileIndex, frame }: SliceToWrite): string {
  return `frame ${frame} of file ${fileIndex}`;
}
