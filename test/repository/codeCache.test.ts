import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildServer } from '../../scripts/build.mjs';
import { LOADER_IMPORT, writeCodeCache } from '../../scripts/codeCache.mjs';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctElements } from '../support/ctElements.ts';
import { readStream } from '../support/jpegElements.ts';
import { SYNTHETIC_COLUMNS, SYNTHETIC_ROWS, syntheticImage } from '../support/syntheticImage.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** Streams of the same image, whose decoders are modules that a thread imports when it needs them. */
const STREAMS = [
  ['jpegls-lossless_8u_gray.jls', '1.2.840.10008.1.2.4.80'],
  ['j2k-lossless_8u_gray.j2k', '1.2.840.10008.1.2.4.90'],
  ['htj2k-lossless_8u_gray.jph', '1.2.840.10008.1.2.4.201'],
  ['jxl-lossless_8u_gray.jxl', '1.2.840.10008.1.2.4.110'],
] as const;

const IMAGE = syntheticImage({ bits: 8 });
/** Building takes long on a busy machine. */
const PATIENCE_MS = 300_000;

test(
  'threads decode every syntax without compiled code, with it, and with damaged or foreign code',
  { timeout: PATIENCE_MS },
  async () => {
    const folder = createTempFolder();
    const dist = join(folder, 'dist');
    await buildServer({ outdir: dist });
    const images = STREAMS.map(([stream, syntax]) =>
      writeBelow(folder, `${stream}.dcm`, writeCompressed(stream, syntax)),
    );
    const right = STREAMS.map(() => IMAGE);
    expect(await decodeAll(dist, images)).toEqual(right);

    const threads = join(dist, 'threads');
    // Compiled code cannot import by itself. The one call left in a bundle is for builds that hand nothing to it.
    const importing = listImporting(threads);
    expect(importing).toContain('worker');
    expect(new Set(importing).size).toBe(importing.length);

    await writeCodeCache(dist, images[0]!);
    const caches = readdirSync(threads).filter((name) => name.endsWith('.cache'));
    const suffix = `-${process.version}-${process.platform}-${process.arch}.cache`;
    // The thread that decodes the image also scans a folder as small as this one.
    expect(caches.map((name) => name.slice(0, -suffix.length).replace(/-[0-9a-f]{16}$/, ''))).toEqual(
      expect.arrayContaining(['series.worker', 'worker']),
    );
    expect(caches.filter((name) => isRejected(join(threads, name), suffix))).toEqual([]);
    expect(await decodeAll(dist, images)).toEqual(right);

    for (const name of caches) {
      const path = join(threads, name);
      const bytes = readFileSync(path);
      // Behind the header, of which V8 checks the rest.
      for (let at = 64; at < bytes.length; at += 97) bytes[at]! ^= 0x55;
      writeFileSync(path, name.startsWith('worker') ? bytes : 'not compiled code');
    }
    expect(await decodeAll(dist, images)).toEqual(right);
  },
);

function callsImport(line: string): boolean {
  return /(?<![\w.])import\(/.test(line) && !/\/[*/]/.test(line);
}

/** The code of threads, once for each call of `import` in it. */
function listImporting(threads: string): string[] {
  return readdirSync(threads)
    .filter((name) => name.endsWith('.cjs'))
    .flatMap((name) => {
      const lines = readFileSync(join(threads, name), 'latin1').split('\n');
      return lines.filter(callsImport).map(() => name.replace(/-[0-9a-f]{16}\.cjs$/, ''));
    });
}

function writeCompressed(stream: string, transferSyntaxUid: string): Uint8Array {
  const elements = ctElements({
    SOPInstanceUID: `2.25.${transferSyntaxUid.replaceAll('.', '')}`,
    Rows: SYNTHETIC_ROWS,
    Columns: SYNTHETIC_COLUMNS,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelData: { fragments: [readStream(stream)] },
  });
  return writeDicom(elements, { transferSyntaxUid });
}

/** The samples of each file, decoded by a new process, in the order of the files. */
async function decodeAll(dist: string, paths: readonly string[]): Promise<number[][]> {
  const server = await startBuiltServer(['--no-token', ...paths], {}, dist);
  try {
    const files = await listFiles(server.baseUrl);
    expect((await fetch(`${server.baseUrl}/api/series`)).status).toBe(200);
    const answers = paths.map(async (path) => {
      const index = files.find((file) => file.path === path)?.index;
      const answer = await fetch(`${server.baseUrl}/api/file/${index}/frame/0/raw`);
      expect(answer.status).toBe(200);
      return [...new Uint8Array(await answer.arrayBuffer())];
    });
    return await Promise.all(answers);
  } finally {
    await server.stop();
  }
}

/** Compiles the code as the loader of the thread does, in a process of its own: flags of V8 that others set would count. */
function isRejected(cache: string, suffix: string): boolean {
  const source = `(function (exports, require, module, __filename, __dirname, ${LOADER_IMPORT}) {`;
  const program = `
    const { readFileSync } = require('node:fs');
    const [code, cache, source] = process.argv.slice(1);
    const text = source + readFileSync(code, 'latin1') + '\\n})';
    const script = new (require('node:vm').Script)(text, { cachedData: readFileSync(cache).subarray(0, -4) });
    process.stdout.write(String(script.cachedDataRejected));`;
  const code = `${cache.slice(0, -suffix.length)}.cjs`;
  return execFileSync(process.execPath, ['-e', program, code, cache, source], { encoding: 'utf8' }) === 'true';
}
