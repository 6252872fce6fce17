import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Bundles a worker entry of the tests into its own temporary folder, which the caller removes. */
export async function bundleWorker(entry: URL): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'negato-worker-'));
  const outfile = join(folder, 'worker.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    // Decoders and kernels come from the build, as in every other test.
    define: { NEGATO_DIST: JSON.stringify(fileURLToPath(new URL('../../dist/', import.meta.url))) },
  });
  return pathToFileURL(outfile);
}
