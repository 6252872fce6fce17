import type { ImagePixel } from '../imagePixel.ts';
import { DecodeError } from './codec.ts';

/** The properties that every codestream declares before its data. */
export type StreamShape = {
  readonly rows: number;
  readonly columns: number;
  readonly components: number;
  /** Bits per sample. */
  readonly precision: number;
};

/** Maximum decoded size that a stream may declare, unless MAXIMUM_RATIO allows more. */
const MAXIMUM_CLAIMED_BYTES = 2 ** 30;
/** A larger size is allowed up to this ratio to the encoded size, which none of these codecs comes near on an image. */
const MAXIMUM_RATIO = 10_000;

/**
 * Refuses a stream that contradicts its data set: the size declared in the stream determines how much memory the
 * decoder allocates, and pixels of another image would be shown as this one.
 */
export function checkAgreement(stream: StreamShape, pixel: ImagePixel, encodedBytes: number): void {
  const { rows, columns, components, precision } = stream;
  if (rows !== pixel.rows || columns !== pixel.columns || components !== pixel.samplesPerPixel) {
    throw new DecodeError(
      `the codestream has ${describe(rows, columns, components)}, ` +
        `the data set ${describe(pixel.rows, pixel.columns, pixel.samplesPerPixel)}`,
    );
  }
  const claimed = rows * columns * components * (precision > 8 ? 2 : 1);
  if (claimed > MAXIMUM_CLAIMED_BYTES && claimed > encodedBytes * MAXIMUM_RATIO) {
    throw new DecodeError(`${encodedBytes} bytes claim to hold ${claimed} bytes of samples`);
  }
}

function describe(rows: number, columns: number, components: number): string {
  return `${rows} rows, ${columns} columns, ${components} component${components === 1 ? '' : 's'}`;
}
