import { readFile } from 'node:fs/promises';
import { DecodeError } from './codec.ts';
import type { StreamShape } from './agreement.ts';
import { codecFile, collectMessages, type LibraryMessages } from './loadLibrary.ts';
import { webAssembly, type WebAssemblyMemory } from './webAssembly.ts';

/** The functions of dcmjs-native-codecs.wasm that decode JPEG. Contexts and parameters are addresses. */
type IjgExports = {
  readonly memory: WebAssemblyMemory;
  _initialize(): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(stack: number): void;
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

type Ijg = { readonly exports: IjgExports; readonly messages: LibraryMessages };

let loaded: Promise<Ijg> | undefined;

/** The library's numbers for photometric interpretations. With no color conversion asked for, only the count matters. */
const MONOCHROME2 = 1;
const RGB = 3;

/** Decodes one JPEG stream of any process to interleaved samples, without any color conversion. */
export async function decodeWithIjg(
  encoded: Uint8Array,
  { rows, columns, components, precision }: StreamShape,
): Promise<{ readonly words: Uint8Array | Uint16Array; readonly warnings: string }> {
  const { exports, messages } = await (loaded ??= load());
  messages.take();
  const stack = exports.emscripten_stack_get_current();
  const context = exports.CreateCodecsContext();
  const parameters = exports.CreateDecoderParameters();
  // The output is sized by this, not by the stream: 8 for a 12-bit stream would write past its end.
  const bytesPerSample = precision > 8 ? 2 : 1;
  try {
    exports.SetConvertColorspaceToRgb(parameters, 0);
    exports.SetColumns(context, columns);
    exports.SetRows(context, rows);
    exports.SetBitsAllocated(context, bytesPerSample * 8);
    exports.SetBitsStored(context, precision);
    exports.SetSamplesPerPixel(context, components);
    exports.SetPixelRepresentation(context, 0);
    exports.SetPlanarConfiguration(context, 0);
    exports.SetPhotometricInterpretation(context, components === 1 ? MONOCHROME2 : RGB);
    exports.SetEncodedBufferSize(context, encoded.length);
    new Uint8Array(exports.memory.buffer).set(encoded, exports.GetEncodedBuffer(context));
    exports.DecodeJpeg(context, parameters);

    const size = exports.GetDecodedBufferSize(context);
    const needed = rows * columns * components * bytesPerSample;
    if (size < needed) throw new DecodeError(`the decoder gave ${size} bytes of ${needed}`);
    const start = exports.GetDecodedBuffer(context);
    // Copied, because the next frame overwrites the memory of the library.
    const { buffer } = new Uint8Array(exports.memory.buffer, start, needed).slice();
    const words = bytesPerSample === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
    return { words, warnings: messages.take() };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DecodeError([reason, messages.take()].filter(Boolean).join('; '), { cause: error });
  } finally {
    // The library leaves by an exception that does not unwind its own stack.
    exports._emscripten_stack_restore(stack);
    exports.ReleaseDecoderParameters(parameters);
    exports.ReleaseCodecsContext(context);
  }
}

/** The library reports every marker that it meets; these are the reports that something is wrong. */
const DAMAGE = /corrupt|premature/i;

async function load(): Promise<Ijg> {
  const { messages, print } = collectMessages();
  const memory = (): ArrayBuffer => (instance.exports as IjgExports).memory.buffer;
  const text = (start: number, length: number) => Buffer.from(memory(), start, length).toString('latin1');
  const { instance } = await webAssembly.instantiate(await readFile(codecFile('dcmjs-native-codecs.wasm')), {
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
  const exports = instance.exports as IjgExports;
  exports._initialize();
  return { exports, messages };
}

/** The few system calls that the library was linked with. They must answer: a write of no bytes is tried for ever. */
function createWasi(memory: () => ArrayBuffer, print: (line: string) => void) {
  const view = () => new DataView(memory());
  return {
    proc_exit(code: number) {
      throw new DecodeError(`the decoder gave up with code ${code}`);
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
