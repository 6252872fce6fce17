// Runs a benchmark: `node bench/run.mjs NAME [arguments]` bundles bench/NAME.ts into a temporary file and executes it.
// The worker bundles come from dist/, so `npm run build` first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name, ...rest] = process.argv.slice(2);
if (name === undefined) {
  console.error('usage: node bench/run.mjs NAME [arguments]');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
try {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [`bench/${name}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
    define: { NEGATO_DIST: JSON.stringify(join(root, 'dist/')), NEGATO_ROOT: JSON.stringify(root) },
  });
  const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...rest], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
