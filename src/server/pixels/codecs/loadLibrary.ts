import { readFile } from 'node:fs/promises';
import { distFolder } from '../../workers/workerFile.ts';
import { lowerInitialMemory } from './initialMemory.ts';
import { webAssembly } from './webAssembly.ts';

/** What the library printed since it was last asked: decoders that never throw explain themselves only there. */
export type LibraryMessages = { take(): string };

export type LoadedLibrary<Library> = { readonly library: Library; readonly messages: LibraryMessages };

/** `giveUp` is for who can do something with a failure instead of throwing: the instance is not used again. */
type UsedLibrary<Library> = LoadedLibrary<Library> & { readonly giveUp: () => void };

/** A decoder in WebAssembly, loaded when it is first used. */
export type WasmLibrary<Library> = {
  use<Result>(decode: (loaded: UsedLibrary<Library>) => Result): Promise<Result>;
};

/**
 * A hostile stream can write over the memory of the decoder that reads it, which shows only at the next frame, by a
 * trap. So an instance is given up after any failure, and a trap in one that was used before is tried again in a new one.
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

/** Whether the library fell over its own memory; adapters keep what was thrown as the cause. */
function isTrap(error: unknown): boolean {
  return error instanceof webAssembly.RuntimeError || (error instanceof Error && isTrap(error.cause));
}

/** What an Emscripten loader is given. */
type EmscriptenSetup = {
  readonly wasmBinary: Uint8Array;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
};

/**
 * 4 MiB instead of the 18 to 50 that they were built with. What they do not touch takes no memory, but counts for the
 * limit at which a thread is replaced.
 */
const INITIAL_PAGES = 64;

/** Loads a decoder as its package ships it: an Emscripten loader and its WebAssembly file, both in dist/codecs. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows what the library exports
export async function loadEmscripten<Library>(loader: string, wasm: string): Promise<LoadedLibrary<Library>> {
  const wasmBinary = lowerInitialMemory(await readFile(codecFile(wasm)), INITIAL_PAGES);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what every Emscripten loader exports
  const module = (await import(/* @vite-ignore */ codecFile(loader).href)) as {
    readonly default: (setup: EmscriptenSetup) => Promise<Library>;
  };
  const { messages, print } = collectMessages();
  // Without these two functions the decoder would write to the standard output.
  const library = await module.default({ wasmBinary, print, printErr: print });
  return { library, messages };
}

/** A file that the build copied from a decoder's package. */
export function codecFile(name: string): URL {
  return new URL(`codecs/${name}`, distFolder());
}

const KEPT_MESSAGES = 8;

export function collectMessages(): { readonly messages: LibraryMessages; readonly print: (line: string) => void } {
  let lines: string[] = [];
  const take = () => {
    const text = lines.join('; ');
    lines = [];
    return text;
  };
  const print = (line: string) => {
    // OpenJPEG tells of every tile that it reads.
    if (line.startsWith('[INFO]')) return;
    // A damaged stream can print a line for every code-block.
    if (lines.length < KEPT_MESSAGES) lines.push(line.trim().slice(0, 200));
  };
  return { messages: { take }, print };
}
