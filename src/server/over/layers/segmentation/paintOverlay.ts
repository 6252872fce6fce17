import { ViewerError } from '../../../../shared/contract/errors.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import { encodePng } from '../../../images/pixels/png/encodePng.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createRowSampler } from './resample.ts';
import type { OverlayInput, OverlayPaint } from './segmentationTasks.ts';

const MASK_ALPHA = 178;
const FULL_FRACTION_ALPHA = 204;
/** Larger masks are refused. */
const MOST_PIXELS = 100_000_000;
const ROWS_BETWEEN_LOOKS = 64;

/** Implements `paintOverlayTask`. */
export function paintOverlay(input: OverlayInput, context: TaskContext): Uint8Array {
  const { rows, columns } = input.target;
  const pixels = drawMask(input, () => context.throwIfCancelled());
  return context.transfer(encodePng({ rows, columns, channels: 4, pixels }));
}

/** The samples of a segmentation frame over the pixels of its source frame, as RGBA. */
function drawMask({ target, mask, samples, paint }: OverlayInput, look: () => void = () => {}): Uint8Array {
  const { rows, columns } = target;
  if (rows * columns > MOST_PIXELS) {
    throw new ViewerError('decode_memory_exceeded', `a mask of ${rows} x ${columns} pixels is too large to be drawn`);
  }
  const colors = buildColorTable(paint, highest(samples));
  const pixels = new Uint8Array(rows * columns * 4);
  const words = new Uint32Array(pixels.buffer);
  const sampleRow = createRowSampler(target, mask);
  const places = new Int32Array(columns);
  for (let row = 0; row < rows; row++) {
    if (row % ROWS_BETWEEN_LOOKS === 0) look();
    sampleRow(row, places);
    for (let column = 0; column < columns; column++) {
      const place = places[column]!;
      if (place >= 0) words[row * columns + column] = colors[samples[place]!]!;
    }
  }
  return pixels;
}

/** Red, green, blue and alpha of every value up to the highest, as one word each. */
function buildColorTable(paint: OverlayPaint, highestValue: number): Uint32Array {
  const bytes = new Uint8Array((highestValue + 1) * 4);
  const put = (value: number, [red, green, blue]: readonly [number, number, number], alpha: number) => {
    if (value <= highestValue && alpha > 0) bytes.set([red, green, blue, alpha], value * 4);
  };
  switch (paint.kind) {
    case 'mask':
      for (let value = 1; value <= highestValue; value++) put(value, paint.color, MASK_ALPHA);
      break;
    case 'fractions':
      for (let value = 1; value <= highestValue; value++) {
        const part = Math.min(1, value / paint.maximum);
        put(value, paint.color, Math.round(part * FULL_FRACTION_ALPHA));
      }
      break;
    case 'labels':
      // A label that no segment describes is drawn too, because it is present; only 0 means that there is none.
      for (let value = 1; value <= highestValue; value++) put(value, paletteColor(value), MASK_ALPHA);
      for (const [value, color] of paint.colors) put(value, color, MASK_ALPHA);
      for (const value of paint.hidden) if (value <= highestValue) bytes.fill(0, value * 4, value * 4 + 4);
      break;
  }
  return new Uint32Array(bytes.buffer);
}

export function highest(samples: Uint8Array | Uint16Array): number {
  let most = 0;
  for (let i = 0; i < samples.length; i++) if (samples[i]! > most) most = samples[i]!;
  return most;
}
