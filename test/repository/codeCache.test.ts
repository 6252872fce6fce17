import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { buildServer } from '../../scripts/build.mjs';
import { writeCodeCache } from '../../scripts/codeCache.mjs';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctRow } from '../support/imageElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

test('threads that show a file load compiled code, and start without it if V8 rejects it', async () => {
  const folder = createTempFolder();
  const dist = join(folder, 'dist');
  await buildServer({ outdir: dist });
  const image = writeBelow(folder, 'image.dcm', writeDicom(ctRow()));
  await writeCodeCache(dist, image);

  const threads = join(dist, 'threads');
  const caches = readdirSync(threads).filter((name) => name.endsWith('.cache'));
  // The thread that decodes the image also scans a folder as small as this one.
  expect(caches.map((name) => name.replace(/-[0-9a-f]{16}\.cache$/, ''))).toEqual(
    expect.arrayContaining(['series.worker', 'worker']),
  );
  expect(caches.filter((name) => isRejected(join(threads, name)))).toEqual([]);

  for (const name of caches) writeFileSync(join(threads, name), 'not compiled code');
  const server = await startBuiltServer([image], {}, dist);
  try {
    expect(await listFiles(server.baseUrl)).toHaveLength(1);
    expect((await fetch(`${server.baseUrl}/api/file/0/frame/0`)).status).toBe(200);
    expect((await fetch(`${server.baseUrl}/api/series`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

/** Compiles the code as the loader of the thread does. */
function isRejected(cache: string): boolean {
  const code = readFileSync(cache.replace(/cache$/, 'cjs'), 'latin1');
  const source = `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
  return new Script(source, { cachedData: readFileSync(cache) }).cachedDataRejected === true;
}
