import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { buildServer } from '../../scripts/build.mjs';
import { writeCodeCache } from '../../scripts/codeCache.mjs';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctElements } from '../support/ctElements.ts';
import { ctRow } from '../support/imageElements.ts';
import { readStream } from '../support/jpegElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

test('threads that show a file load compiled code, and start without it if V8 rejects it', async () => {
  const folder = createTempFolder();
  const dist = join(folder, 'dist');
  await buildServer({ outdir: dist });
  const image = writeBelow(folder, 'image.dcm', writeDicom(ctRow()));
  await writeCodeCache(dist, image);

  const threads = join(dist, 'threads');
  const caches = readdirSync(threads).filter((name) => name.endsWith('.cache'));
  expect(caches.map((name) => name.replace(/-[0-9a-f]{16}\.cache$/, '')).toSorted()).toEqual([
    'scan.worker',
    'series.worker',
    'worker',
  ]);
  expect(caches.filter((name) => isRejected(join(threads, name)))).toEqual([]);

  // A decoder is a module that the code imports when it needs it.
  const compressed = writeBelow(folder, 'compressed.dcm', writeHtj2k());
  expect(await statusesOf(dist, image, compressed)).toEqual([200, 200, 200]);

  for (const name of caches) writeFileSync(join(threads, name), 'not compiled code');
  expect(await statusesOf(dist, image, compressed)).toEqual([200, 200, 200]);
});

function writeHtj2k(): Uint8Array {
  const gray = { SamplesPerPixel: 1, PhotometricInterpretation: 'MONOCHROME2', PlanarConfiguration: undefined };
  const pixels = { fragments: [readStream('htj2k-lossless_8u_gray.jph')] };
  return writeDicom(
    ctElements({
      Rows: 24,
      Columns: 33,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      ...gray,
      PixelData: pixels,
    }),
    { transferSyntaxUid: '1.2.840.10008.1.2.4.201' },
  );
}

/** Of the series and of the first frame of each file, answered by a new process. */
async function statusesOf(dist: string, ...files: readonly string[]): Promise<number[]> {
  const server = await startBuiltServer(files, {}, dist);
  try {
    const paths = (await listFiles(server.baseUrl)).map(({ index }) => `file/${index}/frame/0`);
    const answers = ['series', ...paths].map(async (path) => (await fetch(`${server.baseUrl}/api/${path}`)).status);
    return await Promise.all(answers);
  } finally {
    await server.stop();
  }
}

/** Compiles the code as the loader of the thread does. */
function isRejected(cache: string): boolean {
  const code = readFileSync(cache.replace(/cache$/, 'cjs'), 'latin1');
  const source = `(function (exports, require, module, __filename, __dirname, __import) {${code}\n})`;
  return new Script(source, { cachedData: readFileSync(cache) }).cachedDataRejected === true;
}
