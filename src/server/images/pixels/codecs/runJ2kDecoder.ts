import { DecodeError } from './codec.ts';
import type { J2kHeader } from './j2kHeader.ts';
import type { LibraryMessages } from './loadLibrary.ts';

/** The interface that the OpenJPEG and OpenJPH decoders have in common. */
export type J2kDecoder = {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  getDecodedBuffer(): Uint8Array;
  /** OpenJPH only. */
  getLastErrorMessage?(): string;
  delete(): void;
};

export type J2kDecoding<Decoder> = {
  readonly codestream: Uint8Array;
  readonly header: J2kHeader;
  /** How many times the edges are halved. */
  readonly level: number;
  readonly decodeReduced: (decoder: Decoder, level: number) => void;
  readonly messages: LibraryMessages;
};

export type J2kSamples = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the decoder reported a problem with the data and continued. */
  readonly isDoubtful: boolean;
};

/** Messages of the decoders about bad data; they also print harmless ones. */
const DOUBTFUL = /malformed|corrupt|truncat|too long|not enough|expected EPH|PTERM|missing packets|\[ERROR\]/i;

/** Returns the samples of a codestream. The decoder cannot be used again. */
export function runJ2kDecoder<Decoder extends J2kDecoder>(
  decoder: Decoder,
  { codestream, header, level, decodeReduced, messages }: J2kDecoding<Decoder>,
): J2kSamples {
  try {
    decoder.getEncodedBuffer(codestream.length).set(codestream);
    if (level === 0) decoder.decode();
    else decodeReduced(decoder, level);
    const decoded = decoder.getDecodedBuffer();
    const size = decodedBytes(header, level);
    // The decoder does not throw for every bad stream: for some it returns nothing.
    if (decoded.length !== size) {
      const complaint = decoder.getLastErrorMessage?.() || messages.take();
      throw new DecodeError(complaint || `the decoder returned ${decoded.length} of ${size} bytes`);
    }
    // The buffer is a view of the library's memory, so it is copied before the decoder is deleted.
    const bytes = new Uint8Array(decoded);
    const complaint = `${decoder.getLastErrorMessage?.() ?? ''} ${messages.take()}`;
    decoder.delete();
    return { bytes, isDoubtful: DOUBTFUL.test(complaint) };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    throw new DecodeError(messages.take() || `the decoder failed (${String(error)})`, { cause: error });
  }
}

/** Bytes of the picture after its edges are halved `level` times. */
function decodedBytes({ rows, columns, components, precision }: J2kHeader, level: number): number {
  const pixels = Math.ceil(rows / 2 ** level) * Math.ceil(columns / 2 ** level);
  return pixels * components * (precision > 8 ? 2 : 1);
}
