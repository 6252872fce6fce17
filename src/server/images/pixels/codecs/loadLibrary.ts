import { readFile } from 'node:fs/promises';
import { distFolder } from '../../../machine/workers/workerFile.ts';
import { lowerInitialMemory } from './initialMemory.ts';
import { webAssembly } from './webAssembly.ts';

/** Output of the library since the last call. Some decoders never throw and report problems only there. */
export type LibraryMessages = { take(): string };

export type LoadedLibrary<Library> = { readonly library: Library; readonly messages: LibraryMessages };

/** `giveUp` is for callers that handle a failure without throwing: the instance is not used again. */
type UsedLibrary<Library> = LoadedLibrary<Library> & { readonly giveUp: () => void };

/** A WebAssembly decoder, loaded on first use. */
export type WasmLibrary<Library> = {
  use<Result>(decode: (loaded: UsedLibrary<Library>) => Result): Promise<Result>;
};

/**
 * A malicious stream can corrupt the memory of its decoder, which may show only as a trap at the next frame. An
 * instance is therefore discarded after any failure, and a trap in an instance that was used before is retried in a new
 * one.
 */
export function createWasmLibrary<Library>(load: () => Promise<LoadedLibrary<Library>>): WasmLibrary<Library> {
  let instance: Promise<LoadedLibrary<Library>> | undefined;
  const giveUp = () => {
    instance = undefined;
  };
  return {
    async use(decode) {
      const isUsed = instance !== undefined;
      const loading = (instance ??= load());
      try {
        return decodeWith({ ...(await loading), giveUp }, decode);
      } catch (error) {
        giveUp();
        if (!isUsed || !isTrap(error)) throw error;
      }
      return decodeWith({ ...(await (instance ??= load())), giveUp }, decode);
    },
  };
}

function decodeWith<Library, Result>(
  loaded: UsedLibrary<Library>,
  decode: (loaded: UsedLibrary<Library>) => Result,
): Result {
  loaded.messages.take();
  return decode(loaded);
}

/** Whether the library trapped. Adapters keep the original error as the cause. */
function isTrap(error: unknown): boolean {
  return error instanceof webAssembly.RuntimeError || (error instanceof Error && isTrap(error.cause));
}

/** The options of an Emscripten loader. */
type EmscriptenSetup = {
  readonly wasmBinary: Uint8Array;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
};

/**
 * 4 MiB instead of the 18 to 50 MiB that the libraries were built with. Untouched pages take no memory, but they count
 * towards the limit at which a thread is replaced.
 */
const INITIAL_PAGES = 64;

/** The `import` of a thread's loader, in the bundle of a thread (scripts/codeCache.mjs). */
declare const NEGATO_IMPORT: ((specifier: string) => Promise<unknown>) | undefined;

const importModule =
  typeof NEGATO_IMPORT === 'function'
    ? NEGATO_IMPORT
    : (specifier: string): Promise<unknown> => import(/* @vite-ignore */ specifier);

/** Loads a decoder as shipped in its package: an Emscripten loader and its WebAssembly file, both in dist/codecs. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows what the library exports
export async function loadEmscripten<Library>(
  loader: string,
  wasm: string,
  isNoise?: (message: string) => boolean,
): Promise<LoadedLibrary<Library>> {
  const wasmBinary = lowerInitialMemory(await readFile(codecFile(wasm)), INITIAL_PAGES);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what every Emscripten loader exports
  const module = (await importModule(codecFile(loader).href)) as {
    readonly default: (setup: EmscriptenSetup) => Promise<Library>;
  };
  const { messages, print } = collectMessages(isNoise);
  // Without `print` and `printErr` the decoder would write to standard output.
  const library = await module.default({ wasmBinary, print, printErr: print });
  return { library, messages };
}

/** URL of a file that the build copied from a decoder's package. */
export function codecFile(name: string): URL {
  return new URL(`codecs/${name}`, distFolder());
}

const KEPT_MESSAGES = 8;

/** Messages that are `isNoise` are dropped: only the first ones are kept, and they would take the place of others. */
export function collectMessages(isNoise: (message: string) => boolean = () => false): {
  readonly messages: LibraryMessages;
  readonly print: (line: string) => void;
} {
  let lines: string[] = [];
  const take = () => {
    const text = lines.join('; ');
    lines = [];
    return text;
  };
  const print = (line: string) => {
    // OpenJPEG logs every tile that it reads.
    if (line.startsWith('[INFO]') || isNoise(line)) return;
    // A damaged stream can print a line for every code-block.
    if (lines.length < KEPT_MESSAGES) lines.push(line.trim().slice(0, 200));
  };
  return { messages: { take }, print };
}
