// Writes docs/conformance.md: how the decoded real files and fixtures compare with the results of other tools. Build
// first. The real files are expected in NEGATO_CORPUS or beside the repository.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = process.env.NEGATO_CORPUS ?? join(root, '../shared/corpus');
if (!existsSync(corpus)) {
  console.error(`there is no ${corpus}; set NEGATO_CORPUS`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'negato-conformance-'));
try {
  const outfile = join(folder, 'conformance.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/support/conformance.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    define: { NEGATO_DIST: JSON.stringify(process.env.NEGATO_DIST ?? join(root, 'dist/')) },
  });
  const { measureConformance } = await import(pathToFileURL(outfile).href);
  const text = await measureConformance(corpus, join(root, 'test/fixtures/streams'));
  writeFileSync(join(root, 'docs/conformance.md'), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
