// Builds dist/: the server (one ESM bundle with lazy chunks, and the worker bundles beside it) and the page.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './buildPage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function buildServer({ debugApi = false } = {}) {
  await build({
    absWorkingDir: root,
    entryPoints: {
      negato: 'src/cli/main.ts',
      worker: 'src/server/worker.ts',
      'scan.worker': 'src/server/catalog/scan.worker.ts',
    },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    legalComments: 'linked',
    logLevel: 'warning',
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    define: {
      NEGATO_DIST: 'undefined',
      NEGATO_BUILD: JSON.stringify({ gitSha: gitSha(), debugApi }),
    },
  });
  chmodSync(new URL('../dist/negato.js', import.meta.url), 0o755);
}

function gitSha() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  } catch {
    return 'unknown';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const debugApi = process.argv.includes('--debug-api');
  if (debugApi) {
    console.warn('warning: this is a debug-api build. It answers requests from every web origin; never use it on real data.');
  }
  rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
  await buildServer({ debugApi });
  await buildPage();
}
