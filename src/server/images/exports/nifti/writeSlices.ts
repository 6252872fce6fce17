import { ViewerError } from '../../../../shared/contract/errors.ts';
import { formatFrameDamage } from '../../../../shared/frameDamage.ts';
import type { ImageFiles } from '../../pixels/imageFiles.ts';
import { loadSlices } from '../../volumes/loadSlices.ts';
import { bytesOfSample, viewSamples } from '../../volumes/sampleView.ts';
import { type GzipPart, mergeGzipParts, packGzipPart, STRIP_BYTES } from '../../../machine/workers/gzipParts.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { SliceToWrite, WriteSlicesInput } from '../exportTasks.ts';

/** Decodes slices into the form of a file, and packs them. Runs in a worker. */
export async function packSlices(images: ImageFiles, input: WriteSlicesInput, context: TaskContext): Promise<GzipPart> {
  const loaded = await loadInOrder(images, input, context);
  const parts: GzipPart[] = [];
  for (const strip of listStrips(loaded, input)) {
    context.throwIfCancelled();
    parts.push(packGzipPart(strip));
  }
  const part = mergeGzipParts(parts);
  return { ...part, packed: context.transfer(part.packed) };
}

/** Decodes slices into the form of a file. Runs in a worker. A slice that is damaged ends it: the file could not say so. */
export async function writeSlices(
  images: ImageFiles,
  input: WriteSlicesInput,
  context: TaskContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const loaded = await loadInOrder(images, input, context);
  if (input.slices.every(({ rescale }) => rescale === undefined)) return new Uint8Array(loaded);
  const { rows, columns, slices, written } = input;
  const out = new Uint8Array(slices.length * rows * columns * bytesOfSample(written));
  let at = 0;
  for (const strip of listStrips(loaded, input)) {
    context.throwIfCancelled();
    out.set(strip, at);
    at += strip.length;
  }
  return out;
}

/** The samples as stored. The rows of each slice are in the order of the file. */
async function loadInOrder(images: ImageFiles, input: WriteSlicesInput, context: TaskContext): Promise<ArrayBuffer> {
  const { rows, columns, slices, storage, isModality, rowsRunUp } = input;
  const rowBytes = columns * bytesOfSample(storage);
  const buffer = new ArrayBuffer(slices.length * rows * rowBytes);
  const toLoad = slices.map(({ source, frame, mapping, crop }, place) => ({ source, frame, mapping, crop, place }));
  const loaded = await loadSlices(images, { storage, isModality, rows, columns, buffer, slices: toLoad }, context);
  for (const { place, failure, damage } of loaded) {
    if (failure !== undefined) throw new ViewerError(failure.code, `${describe(slices[place]!)}: ${failure.message}`);
    if (damage !== undefined) {
      const message = `${describe(slices[place]!)} is damaged: ${formatFrameDamage(damage)}`;
      throw new ViewerError('pixel_decode_failed', message);
    }
  }
  for (const place of rowsRunUp ? slices.keys() : [])
    flipRows(new Uint8Array(buffer, place * rows * rowBytes, rows * rowBytes), rowBytes);
  return buffer;
}

function flipRows(bytes: Uint8Array, rowBytes: number): void {
  const spare = new Uint8Array(rowBytes);
  for (let top = 0, bottom = bytes.length - rowBytes; top < bottom; top += rowBytes, bottom -= rowBytes) {
    spare.set(bytes.subarray(top, top + rowBytes));
    bytes.copyWithin(top, bottom, bottom + rowBytes);
    bytes.set(spare, bottom);
  }
}

/** The bytes of the file, a strip after the other. A strip is used before the next one is made. */
function* listStrips(loaded: ArrayBuffer, input: WriteSlicesInput): Generator<Uint8Array> {
  const { rows, columns, slices, storage, written } = input;
  const size = rows * columns;
  const samples = viewSamples(storage, loaded);
  const strip = new ArrayBuffer(Math.min(size * bytesOfSample(written), STRIP_BYTES));
  const converted = viewSamples(written, strip);
  const step = Math.max(1, Math.floor(STRIP_BYTES / bytesOfSample(storage)));
  for (const [place, { rescale }] of slices.entries()) {
    const end = (place + 1) * size;
    if (rescale === undefined) {
      for (let at = place * size; at < end; at += step) {
        const some = samples.subarray(at, Math.min(end, at + step));
        yield new Uint8Array(loaded, some.byteOffset, some.byteLength);
      }
      continue;
    }
    const { slope, intercept } = rescale;
    for (let at = place * size; at < end; at += converted.length) {
      const count = Math.min(converted.length, end - at);
      for (let n = 0; n < count; n += 1) converted[n] = samples[at + n]! * slope + intercept;
      yield new Uint8Array(strip, 0, count * bytesOfSample(written));
    }
  }
}

function describe({ fileIndex, frame }: SliceToWrite): string {
  return `frame ${frame} of file ${fileIndex}`;
}
