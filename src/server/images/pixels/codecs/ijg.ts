import { readFile } from 'node:fs/promises';
import { DecodeError, type StreamShape } from './codec.ts';
import { lowerInitialMemory } from './initialMemory.ts';
import { codecFile, collectMessages, createWasmLibrary, type LoadedLibrary } from './loadLibrary.ts';
import { webAssembly, type WebAssemblyMemory } from './webAssembly.ts';

/** The functions of dcmjs-native-codecs.wasm that decode JPEG. Contexts and parameters are passed as addresses. */
type IjgExports = {
  readonly memory: WebAssemblyMemory;
  readonly _initialize: () => void;
  emscripten_stack_get_current(): number;
  readonly _emscripten_stack_restore: (stack: number) => void;
  CreateCodecsContext(): number;
  ReleaseCodecsContext(context: number): void;
  CreateDecoderParameters(): number;
  ReleaseDecoderParameters(parameters: number): void;
  SetConvertColorspaceToRgb(parameters: number, convert: number): void;
  SetColumns(context: number, columns: number): void;
  SetRows(context: number, rows: number): void;
  SetBitsAllocated(context: number, bits: number): void;
  SetBitsStored(context: number, bits: number): void;
  SetSamplesPerPixel(context: number, samples: number): void;
  SetPixelRepresentation(context: number, representation: number): void;
  SetPlanarConfiguration(context: number, configuration: number): void;
  SetPhotometricInterpretation(context: number, index: number): void;
  SetEncodedBufferSize(context: number, bytes: number): void;
  GetEncodedBuffer(context: number): number;
  GetDecodedBuffer(context: number): number;
  GetDecodedBufferSize(context: number): number;
  DecodeJpeg(context: number, parameters: number): void;
};

const ijg = createWasmLibrary(load);

/**
 * The library's numbers for photometric interpretations. Color conversion is off, so only the number of samples
 * matters.
 */
const MONOCHROME2 = 1;
const RGB = 3;

/** Decodes a JPEG stream of any process to interleaved samples, without color conversion. */
export function decodeWithIjg(encoded: Uint8Array, stream: StreamShape): Promise<DecodedJpeg> {
  return ijg.use(({ library, messages }) => {
    const stack = library.emscripten_stack_get_current();
    const context = library.CreateCodecsContext();
    const parameters = library.CreateDecoderParameters();
    try {
      describeStream(library, context, stream);
      library.SetConvertColorspaceToRgb(parameters, 0);
      library.SetEncodedBufferSize(context, encoded.length);
      new Uint8Array(library.memory.buffer).set(encoded, library.GetEncodedBuffer(context));
      library.DecodeJpeg(context, parameters);
      return { words: copyDecoded(library, context, stream), warnings: messages.take() };
    } catch (error) {
      if (error instanceof DecodeError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DecodeError([reason, messages.take()].filter(Boolean).join('; '), { cause: error });
    } finally {
      // The library exits by an exception that does not unwind its own stack.
      // oxlint-disable-next-line no-underscore-dangle -- its name
      library._emscripten_stack_restore(stack);
      library.ReleaseDecoderParameters(parameters);
      library.ReleaseCodecsContext(context);
    }
  });
}

type DecodedJpeg = {
  readonly words: Uint8Array | Uint16Array;
  /** Damage that the library reported; empty for an intact stream. */
  readonly warnings: string;
};

function describeStream(library: IjgExports, context: number, stream: StreamShape): void {
  library.SetColumns(context, stream.columns);
  library.SetRows(context, stream.rows);
  // This determines the size of the output buffer, not the stream: with 8, a 12-bit stream would be written past its
  // end.
  library.SetBitsAllocated(context, bytesPerSample(stream) * 8);
  library.SetBitsStored(context, stream.precision);
  library.SetSamplesPerPixel(context, stream.components);
  library.SetPixelRepresentation(context, 0);
  library.SetPlanarConfiguration(context, 0);
  library.SetPhotometricInterpretation(context, stream.components === 1 ? MONOCHROME2 : RGB);
}

/** Copies the result, because the next frame overwrites the memory of the library. */
function copyDecoded(library: IjgExports, context: number, stream: StreamShape): Uint8Array | Uint16Array {
  const size = library.GetDecodedBufferSize(context);
  const needed = stream.rows * stream.columns * stream.components * bytesPerSample(stream);
  if (size < needed) throw new DecodeError(`the decoder returned ${size} of ${needed} bytes`);
  const { buffer } = new Uint8Array(library.memory.buffer, library.GetDecodedBuffer(context), needed).slice();
  return bytesPerSample(stream) === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

function bytesPerSample({ precision }: StreamShape): 1 | 2 {
  return precision > 8 ? 2 : 1;
}

/** 16 MiB instead of the 256 MiB that the library was built with. */
const INITIAL_PAGES = 256;

/** The library reports every marker that it meets; these messages indicate damage. */
const DAMAGE = /corrupt|premature/i;

async function load(): Promise<LoadedLibrary<IjgExports>> {
  const binary = await readFile(codecFile('dcmjs-native-codecs.wasm'));
  const { messages, print } = collectMessages();
  const memory = (): ArrayBuffer => exports.memory.buffer;
  const text = (start: number, length: number) => Buffer.from(memory(), start, length).toString('latin1');
  const { instance } = await webAssembly.instantiate(lowerInitialMemory(binary, INITIAL_PAGES), {
    env: {
      onCodecsException(start: number, length: number) {
        throw new DecodeError(text(start, length));
      },
      onCodecsInfo(start: number, length: number) {
        const line = text(start, length);
        if (DAMAGE.test(line)) print(line);
      },
      onCodecsTrace() {},
      emscripten_notify_memory_growth() {},
    },
    wasi_snapshot_preview1: createWasi(memory, print),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of this very file
  const exports = instance.exports as IjgExports;
  // oxlint-disable-next-line no-underscore-dangle -- its name
  exports._initialize();
  return { library: exports, messages };
}

/**
 * The few system calls that the library was linked with. They must return valid results: a write that reports no bytes
 * written is retried forever.
 */
function createWasi(memory: () => ArrayBuffer, print: (line: string) => void) {
  const view = () => new DataView(memory());
  return {
    proc_exit(code: number) {
      throw new DecodeError(`the decoder failed with code ${code}`);
    },
    clock_time_get(_clock: number, _precision: bigint, result: number) {
      view().setBigUint64(result, process.hrtime.bigint(), true);
      return 0;
    },
    fd_write(_file: number, vectors: number, count: number, result: number) {
      let written = 0;
      for (let i = 0; i < count; i++) {
        const length = view().getUint32(vectors + 8 * i + 4, true);
        print(Buffer.from(memory(), view().getUint32(vectors + 8 * i, true), length).toString('latin1'));
        written += length;
      }
      view().setUint32(result, written, true);
      return 0;
    },
    fd_close: () => 0,
    fd_seek: () => 0,
    environ_sizes_get(count: number, bytes: number) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
  };
}
