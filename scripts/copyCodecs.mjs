// The decoders as shipped by their packages: an Emscripten loader and its WebAssembly, loaded for the first frame that
// needs them. They are not bundled, because a loader locates its files relative to itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** [package, file in it, name in dist/codecs]: the extension marks a CommonJS loader. */
export const CODEC_FILES = [
  ['@cornerstonejs/codec-charls', 'dist/charlswasm_decode.js', 'charlswasm_decode.cjs'],
  ['@cornerstonejs/codec-charls', 'dist/charlswasm_decode.wasm', 'charlswasm_decode.wasm'],
  ['@cornerstonejs/codec-openjpeg', 'dist/openjpegwasm_decode.js', 'openjpegwasm_decode.cjs'],
  ['@cornerstonejs/codec-openjpeg', 'dist/openjpegwasm_decode.wasm', 'openjpegwasm_decode.wasm'],
  ['@cornerstonejs/codec-openjph', 'dist/openjphjs.js', 'openjphjs.cjs'],
  ['@cornerstonejs/codec-openjph', 'dist/openjphjs.wasm', 'openjphjs.wasm'],
  ['dcmjs-codecs', 'build/dcmjs-native-codecs.wasm', 'dcmjs-native-codecs.wasm'],
  ['icodec', 'dist/jxl-dec.js', 'jxl-dec.js'],
  ['icodec', 'dist/jxl-dec.wasm', 'jxl-dec.wasm'],
];

export const CODEC_PACKAGES = [...new Set(CODEC_FILES.map(([name]) => name))];

/**
 * @param {string} root @param {string} outdir
 * @returns {{ path: string, contents: Uint8Array }[]} the files of dist/codecs
 */
export function codecFiles(root, outdir) {
  return CODEC_FILES.map(([name, file, target]) => ({
    path: join(outdir, 'codecs', target),
    contents: readFileSync(join(root, 'node_modules', name, file)),
  }));
}
