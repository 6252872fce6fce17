import type { ImagePixel } from '../imagePixel.ts';
import { DecodeError } from './codec.ts';

/** What every codestream says of itself before its data. */
export type StreamShape = {
  readonly rows: number;
  readonly columns: number;
  readonly components: number;
  /** Bits of one sample. */
  readonly precision: number;
};

/** A stream may not claim more than this, */
const MAXIMUM_CLAIMED_BYTES = 2 ** 30;
/** unless it is large itself: no codec of these gets near this ratio on a picture. */
const MAXIMUM_RATIO = 10_000;

/**
 * A stream that contradicts its data set is not decoded: its own size decides how much memory the decoder takes, and
 * pixels of another image would be shown under this one's name.
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
