// Builds dist/: the server (one ESM bundle with lazy chunks, and the worker bundles beside it) and the page.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { kernelFiles } from './buildKernels.mjs';
import { LOADER_IMPORT, removeOldCode, withLoader, writeCodeCache } from './codeCache.mjs';
import { CODEC_PACKAGES, codecFiles } from './copyCodecs.mjs';
import { billOfMaterials, packagesOf, thirdPartyText } from './thirdParty.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const ENTRIES = {
  negato: 'src/cli/main.ts',
  worker: 'src/server/worker.ts',
  'scan.worker': 'src/server/images/catalog/scan.worker.ts',
  'origin.worker': 'src/server/bytes/origins/remote/origin.worker.ts',
  'watch.worker': 'src/server/images/catalog/watch.worker.ts',
  'series.worker': 'src/server/images/series/series.worker.ts',
  'table.worker': 'src/server/images/tables/table.worker.ts',
  'socketTable.worker': 'src/server/doors/http/socketTable.worker.ts',
  'index.worker': 'src/cli/index.worker.ts',
  'demo.process': 'src/demo/demo.process.ts',
  'demo.worker': 'src/demo/demo.worker.ts',
};

/**
 * Skips entries that do not exist. Replaces each file atomically, so that a running test never loads a partial file.
 */
export async function buildServer({
  debugApi = false,
  outdir = join(root, 'dist'),
  entries = Object.keys(ENTRIES),
} = {}) {
  if (debugApi) {
    console.warn('warning: this is a debug-api build. It answers every web page; never use it on real data.');
  }
  const present = entries.filter((name) => existsSync(join(root, ENTRIES[name])));
  const define = {
    NEGATO_DIST: 'undefined',
    NEGATO_BUILD: JSON.stringify({ version: version(), gitSha: gitSha() }),
    // A separate constant, so that the bundler can drop the code that a normal build must not contain.
    NEGATO_DEBUG_API: String(debugApi),
    NEGATO_IMPORT: 'undefined',
  };
  const results = await Promise.all(present.map((name) => bundle(name, { outdir, define })));
  const files = results
    .flatMap(({ outputFiles }) => outputFiles)
    .flatMap((file) => (file.path.endsWith('.cjs') ? withLoader(file) : [file]));
  // Write chunks and the code of threads before the entries that load them.
  const isEntry = (/** @type {{ path: string }} */ { path }) => dirname(path) === outdir;
  const inOrder = files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
  const libraries = [...codecFiles(root, outdir), ...(await kernelFiles(root, outdir))];
  for (const file of [...libraries, ...inOrder]) replaceFile(file.path, file.contents);
  removeOldCode(files.map(({ path }) => path));
  const command = join(outdir, 'negato.js');
  if (existsSync(command)) chmodSync(command, 0o755);
  return [...new Set(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)))];
}

/**
 * Bundles each entry separately. Shared code would otherwise be split into dozens of small files, and a thread takes
 * longer to find them all than to load the code again.
 *
 * The command is split into what it needs to listen and the rest. A thread is one CommonJS file, whose modules are
 * evaluated on first use: it starts without Node's loader of ES modules, and without looking for chunks. Its code is
 * loaded with what V8 has compiled of it before (codeCache.mjs).
 * @param {string} name @param {{ outdir: string, define: Record<string, string> }} options
 */
function bundle(name, { outdir, define }) {
  const isThread = name.endsWith('worker');
  return build({
    absWorkingDir: root,
    entryPoints: { [name]: ENTRIES[name] },
    outdir,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    legalComments: 'linked',
    logLevel: 'warning',
    ...(isThread ? asCommonJs(define) : asModules(define)),
  });
}

/** @param {Record<string, string>} define @returns {import('esbuild').BuildOptions} */
const asModules = (define) => ({
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define,
});

/** @param {Record<string, string>} define @returns {import('esbuild').BuildOptions} */
const asCommonJs = (define) => ({
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { ...define, 'import.meta.url': '__moduleUrl', NEGATO_IMPORT: LOADER_IMPORT },
});

/** @param {string} path @param {Uint8Array} contents */
function replaceFile(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/**
 * Writes the slice of the demo study that is part of the package, so that it can be shown while the others are
 * generated. Skipped if the slice is newer than the code that generates it.
 */
export function makeFirstSlice({ outdir = join(root, 'dist') } = {}) {
  const target = join(outdir, 'demo-first.dcm');
  const code = join(outdir, 'demo.process.js');
  if (existsSync(target) && statSync(target).mtimeMs > statSync(code).mtimeMs) return;
  const folder = mkdtempSync(join(tmpdir(), 'negato-build-'));
  execFileSync(process.execPath, [code, folder, 'first']);
  copyFileSync(join(folder, '01-ct/001.dcm'), target);
  rmSync(folder, { recursive: true });
}

function version() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function gitSha() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

/**
 * Builds all of dist/ in a new folder and moves it into place when it is complete: `npx negato` in a clone builds first,
 * and what an interrupted build left there would start without a page.
 */
async function buildAll({ debugApi = false } = {}) {
  const { buildPage } = await import('./buildPage.mjs');
  const dist = join(root, 'dist');
  const [outdir, old] = [`${dist}.${process.pid}.new`, `${dist}.${process.pid}.old`];
  removeDrafts(dist);
  const modules = [...(await buildServer({ debugApi, outdir })), ...(await buildPage({ outdir: join(outdir, 'web') }))];
  makeFirstSlice({ outdir });
  await writeCodeCache(outdir, join(outdir, 'demo-first.dcm'));
  const packages = [...packagesOf(modules), ...CODEC_PACKAGES];
  writeFileSync(join(outdir, 'THIRD_PARTY.txt'), thirdPartyText(root, packages));
  writeFileSync(join(outdir, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(root, packages), undefined, 2)}\n`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(outdir, dist);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Removes what interrupted builds left beside the folder. A process that runs may still be building.
 * @param {string} dist
 */
function removeDrafts(dist) {
  for (const name of readdirSync(dirname(dist))) {
    const pid = name.startsWith(`${basename(dist)}.`) ? /\.(\d+)\.(?:new|old)$/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(dirname(dist), name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildAll({ debugApi: process.argv.includes('--debug-api') });
}
