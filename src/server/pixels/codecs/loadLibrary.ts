import { readFile } from 'node:fs/promises';
import { distFolder } from '../../workers/workerFile.ts';

/** What an Emscripten loader is given. */
type EmscriptenSetup = {
  readonly wasmBinary: Uint8Array;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
};

/** What the library printed since it was last asked: decoders that never throw explain themselves only there. */
export type LibraryMessages = { take(): string };

/** Loads a decoder as its package ships it: an Emscripten loader and its WebAssembly file, both in dist/codecs. */
export async function loadEmscripten<Library>(
  loader: string,
  wasm: string,
): Promise<{ readonly library: Library; readonly messages: LibraryMessages }> {
  const wasmBinary = await readFile(codecFile(wasm));
  const module = (await import(/* @vite-ignore */ codecFile(loader).href)) as {
    default: (setup: EmscriptenSetup) => Promise<Library>;
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
    // A damaged stream can print a line for every code-block.
    if (lines.length < KEPT_MESSAGES) lines.push(line.trim().slice(0, 200));
  };
  return { messages: { take }, print };
}
