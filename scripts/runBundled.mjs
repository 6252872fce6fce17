// Runs a TypeScript program of bench/ or test/: `node scripts/runBundled.mjs ENTRY [arguments]` bundles it into a
// temporary file and executes that file. Worker bundles and the command come from dist/, so run `npm run build` first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * In modules of test/, `new URL(…, import.meta.url)` keeps the original URL, so that they find their fixtures from
 * within the bundle. Elsewhere `import.meta.url` is the bundle, so a program that starts itself again starts the
 * bundle.
 * @type {import('esbuild').Plugin}
 */
const keepModuleUrls = {
  name: 'keep-module-urls',
  setup(bundling) {
    bundling.onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll(', import.meta.url)', `, ${url})`), loader: 'ts' };
    });
  },
};

/** @param {string} entry from the root of the repository @param {string[]} rest @returns {Promise<number>} exit code */
export async function runBundled(entry, rest) {
  const folder = mkdtempSync(join(tmpdir(), 'negato-run-'));
  try {
    const outfile = join(folder, 'program.mjs');
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
      plugins: [keepModuleUrls],
      define: {
        NEGATO_DIST: JSON.stringify(process.env.NEGATO_DIST ?? join(root, 'dist/')),
        NEGATO_ROOT: JSON.stringify(root),
      },
    });
    // Servers started by the program keep their ROIs here, not with those of the user.
    const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
    const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...rest], {
      cwd: root,
      stdio: 'inherit',
      env,
    });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, ...rest] = process.argv.slice(2);
  if (entry === undefined) throw new Error('usage: node scripts/runBundled.mjs ENTRY [arguments]');
  process.exitCode = await runBundled(entry, rest);
}
