import { createRequire } from 'node:module';

/** An image to encode, and how: without loss unless told otherwise. Sizes of code-blocks are powers of 2 from 4 to 1024. */
export type J2kImage = {
  readonly rows: number;
  readonly columns: number;
  readonly components: number;
  readonly precision: number;
  readonly signed: boolean;
  /** Color-by-pixel. */
  readonly samples: ArrayLike<number>;
  readonly levels?: number;
  readonly blockWidth?: number;
  readonly blockHeight?: number;
  /** The number of Table A.16 of T.800: 0 is LRCP, 4 is CPRL. */
  readonly progression?: number;
  readonly isLossy?: boolean;
  /** How many times fewer bytes each layer and those before it take; 0 is without loss. */
  readonly ratios?: readonly number[];
};

type Encoder = {
  getDecodedBuffer(shape: object): Uint8Array;
  setQuality(lossless: boolean, quality: number): void;
  setDecompositions(levels: number): void;
  setBlockDimensions(size: object): void;
  setProgressionOrder(order: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
};

/** Loads the encoder of the package whose decoder is shipped. */
export async function loadJ2kEncoder(): Promise<(image: J2kImage) => Uint8Array> {
  const createLibrary: (setup: object) => Promise<{ readonly J2KEncoder: new () => Encoder }> = createRequire(
    // In this form a bundle keeps the place of this file.
    new URL('encodeJ2k.ts', import.meta.url),
  )('@cornerstonejs/codec-openjpeg/wasmjs');
  const library = await createLibrary({ print: () => undefined, printErr: () => undefined });
  return (image) => {
    const { rows, columns, components, precision, signed, samples } = image;
    const encoder = new library.J2KEncoder();
    const shape = { width: columns, height: rows, bitsPerSample: precision, componentCount: components };
    const words = precision > 8 ? Uint16Array.from(samples) : Uint8Array.from(samples);
    encoder.getDecodedBuffer({ ...shape, isSigned: signed }).set(new Uint8Array(words.buffer));
    const { ratios = [] } = image;
    // The second number is that of the layers.
    encoder.setQuality(image.isLossy !== true, ratios.length || (image.isLossy === true ? 2 : 0));
    for (const [layer, ratio] of ratios.entries()) encoder.setCompressionRatio(layer, ratio);
    encoder.setDecompositions(image.levels ?? 5);
    encoder.setBlockDimensions({ width: image.blockWidth ?? 64, height: image.blockHeight ?? 64 });
    encoder.setProgressionOrder(image.progression ?? 2);
    encoder.encode();
    const stream = Uint8Array.from(encoder.getEncodedBuffer());
    encoder.delete();
    return stream;
  };
}
