import { ViewerError } from '../../../shared/contract/errors.ts';
import { applyModality } from '../../../shared/modality.ts';
import { isPadding } from '../../../shared/padding.ts';
import { type NumberSamples, toNumberSamples } from '../../../shared/sampleArray.ts';
import { type StoredMapping, toRealWorld } from '../../../shared/valueMapping.ts';
import { keyOfSource, type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import type { DecodedFrame } from '../pixels/codecs/codec.ts';
import { decodeFrame } from '../pixels/decodeFrame.ts';
import { toStoredValues } from '../pixels/storedValues.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import type { ImagePixel } from '../pixels/imagePixel.ts';
import { redactionsOfFrame } from '../pixels/redactFrame.ts';
import { type FramePresentation, readPresentation } from '../pixels/presentation/readPresentation.ts';
import { type PackedList, unpackList } from '../../machine/workers/packedList.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { viewSamples } from './sampleView.ts';
import type { LoadedSlice, LoadRowsInput, LoadSlicesInput, SliceCrop, SliceToLoad } from './volumeTasks.ts';

/** Decodes slices into their places in shared memory. Runs in a worker. */
export async function loadSlices(
  images: ImageFiles,
  input: LoadSlicesInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<readonly LoadedSlice[]> {
  const loaded: LoadedSlice[] = [];
  const shared: SharedFrame = { last: undefined };
  for (const slice of input.slices) {
    throwIfCancelled();
    const { place } = slice;
    try {
      loaded.push({ place, damage: await loadSlice(images, input, slice, shared), failure: undefined });
    } catch (error) {
      if (!(error instanceof ViewerError)) throw error;
      loaded.push({ place, damage: undefined, failure: { code: error.code, message: error.message } });
    }
  }
  return loaded;
}

/** Reads a part of uncompressed slices, and no other rows of their files. Runs in a worker. */
export function loadRows(
  images: ImageFiles,
  input: LoadRowsInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): boolean {
  const { storage, buffer, imageColumns, rows, columns } = input;
  return input.slices.every(({ source, frame, place, top, left }) => {
    throwIfCancelled();
    return images.use(source, (open) => {
      const { pixel } = open;
      const words = open.findWords(frame);
      if (words === undefined || pixel.columns !== imageColumns) return false;
      const { bytesPerWord } = words;
      const [rowBytes, partBytes] = [imageColumns * bytesPerWord, columns * bytesPerWord];
      const read = words.source.read(words.position + top * rowBytes, rows * rowBytes);
      // A copy of the columns, because the samples are masked in place.
      const bytes = new Uint8Array(rows * partBytes);
      for (let row = 0, from = left * bytesPerWord; row < rows; row += 1, from += rowBytes) {
        bytes.set(read.subarray(from, from + partBytes), row * partBytes);
      }
      const { samples } = toStoredValues(
        {
          words: bytesPerWord === 1 ? bytes : new Uint16Array(bytes.buffer),
          rows,
          columns,
          precision: pixel.bitsAllocated,
          signed: false,
          lossy: false,
          photometricInterpretation: pixel.photometricInterpretation,
          changes: [],
          damage: undefined,
        },
        pixel,
      );
      viewSamples(storage, buffer, place * rows * columns, rows * columns).set(toNumberSamples(samples));
      return true;
    });
  });
}

/** The identity of a file is checked when it is opened. */
export function checkSources(
  sources: PackedList<KnownSource>,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): void {
  for (const source of unpackList(sources)) {
    throwIfCancelled();
    withSame(source, () => undefined);
  }
}

/** The frame that the last part was cut of: the next one is probably of the same. */
type SharedFrame = { last: (ReadFrame & { readonly key: string }) | undefined };
type ReadFrame = { readonly decoded: DecodedFrame; readonly presentation: FramePresentation | undefined };

async function loadSlice(images: ImageFiles, input: LoadSlicesInput, slice: SliceToLoad, shared: SharedFrame) {
  const { rows, columns, storage, isModality, buffer } = input;
  const { source, frame, place, mapping, crop } = slice;
  const target = viewSamples(storage, buffer, place * rows * columns, rows * columns);
  // Uncompressed samples are read where they belong, without a copy. Those with redactions are not, because others may
  // read that memory before the redactions are filled.
  const spareFor = (pixel: ImagePixel) =>
    isModality || crop !== undefined || redactionsOfFrame(pixel, frame).length > 0
      ? undefined
      : new Uint8Array(buffer, target.byteOffset, target.byteLength);
  const key = crop && `${keyOfSource(source)} ${frame}`;
  const known = key === undefined || shared.last?.key !== key ? undefined : shared.last;
  const read = known ?? (await readFrame(images, { source, frame, isModality, spareFor }));
  if (key !== undefined) shared.last = { ...read, key };
  const { decoded, presentation } = read;
  const { top, left } = crop ?? { top: 0, left: 0 };
  const fits =
    crop === undefined
      ? decoded.rows === rows && decoded.columns === columns
      : top + rows <= decoded.rows && left + columns <= decoded.columns;
  if (!fits || decoded.samplesPerPixel !== 1) {
    throw new ViewerError(
      'pixel_decode_failed',
      `frame ${frame}: ${decoded.rows} rows of ${decoded.columns} columns were decoded, not ${rows} of ${columns}`,
    );
  }
  const samples = toNumberSamples(decoded.samples);
  const part = crop === undefined ? samples : cutPart(samples, decoded.columns, { top, left, rows, columns });
  copySamples(part, target, presentation, mapping);
  return decoded.damage;
}

async function readFrame(
  images: ImageFiles,
  {
    source,
    frame,
    isModality,
    spareFor,
  }: Pick<SliceToLoad, 'source' | 'frame'> &
    Pick<LoadSlicesInput, 'isModality'> & { readonly spareFor: (pixel: ImagePixel) => Uint8Array | undefined },
): Promise<ReadFrame> {
  const { encoded, presentation, ...image } = images.use(source, (open) => ({
    encoded: open.readEncoded(frame, spareFor(open.pixel)),
    pixel: open.pixel,
    codec: open.codec,
    presentation: isModality ? readPresentation(open.object.dataSet, open.pixel, frame) : undefined,
  }));
  return { decoded: await decodeFrame(encoded, { ...image, frame }), presentation };
}

type Part = SliceCrop & { readonly rows: number; readonly columns: number };

function cutPart(samples: NumberSamples, imageColumns: number, { top, left, rows, columns }: Part): NumberSamples {
  const part = samples.slice(0, rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const at = (top + row) * imageColumns + left;
    part.set(samples.subarray(at, at + columns), row * columns);
  }
  return part;
}

function copySamples(
  numbers: NumberSamples,
  target: NumberSamples,
  presentation: FramePresentation | undefined,
  mapping: StoredMapping | undefined,
): void {
  if (presentation === undefined) {
    const isInPlace = numbers.buffer === target.buffer && numbers.byteOffset === target.byteOffset;
    if (!isInPlace) target.set(numbers);
    return;
  }
  const { modality, padding } = presentation;
  const read = mapping ? toRealWorld(mapping) : (stored: number) => applyModality(modality, stored);
  for (let at = 0; at < numbers.length; at++) {
    target[at] = isPadding(numbers[at]!, padding) ? NaN : (read(numbers[at]!) ?? NaN);
  }
}
