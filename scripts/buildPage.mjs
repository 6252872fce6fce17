// Builds the page into dist/web, with compressed versions beside each file and a list of all files for the server.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

const MEDIA_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg', '.wasm']);

/**
 * Builds the page in a temporary folder and moves it into place when it is complete, because a server may be reading
 * the existing one. Returns the modules of the page. If it need not be small, building takes less time.
 * @param {{ outdir?: string, plugins?: import('vite').Plugin[], isSmall?: boolean }} options
 */
export async function buildPage({ outdir = join(root, 'dist/web'), plugins = [], isSmall = true } = {}) {
  const draft = `${outdir}.${process.pid}.new`;
  const { groups, plugin } = groupModules();
  /** @type {Set<string>} */
  const modules = new Set();
  const environment = process.env.NODE_ENV;
  // A test runner sets another value, which would bundle the development version of React.
  process.env.NODE_ENV = 'production';
  await build({
    configFile: false,
    root: join(root, 'src/web'),
    // Relative URLs: the page also works behind a path prefix.
    base: './',
    logLevel: 'warn',
    plugins: [
      react(),
      plugin,
      { name: 'modules', generateBundle: (_, bundle) => collectModules(bundle, modules) },
      ...plugins,
    ],
    define: { NEGATO_PDF_DECODERS: JSON.stringify(pdfDecoders()) },
    build: {
      outDir: draft,
      emptyOutDir: true,
      minify: isSmall,
      target: 'es2023',
      assetsInlineLimit: 0,
      // One style sheet for the whole page, so that lazily loaded parts never appear without their styles.
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      // What the first image waits for is bounded by test/e2e/firstLoad.test.ts. The reader of PDF files is one file of 1 MB.
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        output: { codeSplitting: { groups } },
        onLog: refuseMistakes,
      },
    },
  });
  if (environment === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = environment;
  copyPdfDecoder(draft);
  const entries = readdirSync(draft, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => describeAsset(draft, join(entry.parentPath, entry.name).slice(draft.length + 1), isSmall));
  writeFileSync(join(draft, 'assets.json'), JSON.stringify(entries));
  const old = `${outdir}.${process.pid}.old`;
  if (existsSync(outdir)) renameSync(outdir, old);
  renameSync(draft, outdir);
  rmSync(old, { recursive: true, force: true });
  return modules;
}

/**
 * Code that is meant to be loaded later must not be imported by what is loaded before.
 * @param {string} level @param {{ code?: string, message: string }} log @param {(level: any, log: any) => void} handle
 */
function refuseMistakes(level, log, handle) {
  if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
  handle(level, log);
}

/** The folder of what pdf.js loads on demand, by the name that it expects. The version makes the URL immutable. */
function pdfDecoders() {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/pdfjs-dist/package.json'), 'utf8'));
  return `assets/pdfjs-${version}/`;
}

/** OpenJPEG in JavaScript: the policy of the page forbids WebAssembly. @param {string} outdir */
function copyPdfDecoder(outdir) {
  const folder = join(outdir, pdfDecoders());
  mkdirSync(folder, { recursive: true });
  const file = 'openjpeg_nowasm_fallback.js';
  copyFileSync(join(root, 'node_modules/pdfjs-dist/wasm', file), join(folder, file));
}

function collectModules(bundle, modules) {
  for (const chunk of Object.values(bundle)) for (const id of chunk.moduleIds ?? []) modules.add(id);
}

/** Loaded by every page after its first image. */
const LATER = '/shell/laterChunk.ts';
/** The first image of a page that opens on a slide; it must not wait for the parts above. */
const SLIDE = '/slide/SlidePicture.tsx';

/**
 * Puts everything that the page needs at its start into one file, and everything that every page needs later into
 * another. Otherwise the bundler would create a file, and a request, for each set of modules shared by two parts.
 */
function groupModules() {
  /** @type {Set<string>} */
  const first = new Set();
  /** @type {Set<string>} */
  const later = new Set();
  /** @type {Set<string>} */
  const slide = new Set();
  return {
    groups: [
      // With the bundler's own functions, which are otherwise a file of their own that the first image waits for.
      { name: 'index', test: (id) => first.has(id) || id.endsWith('rolldown/runtime.js') },
      { name: 'shared', test: (id) => later.has(id) && slide.has(id) },
      { name: 'later', test: (id) => later.has(id) },
    ],
    plugin: {
      name: 'module-groups',
      buildEnd() {
        const ids = [...this.getModuleIds()];
        const lazy = ids.flatMap((id) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
        const entries = ids.filter((id) => this.getModuleInfo(id)?.isEntry);
        const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
        addAll(first, entries, importsOf);
        const addLazy = (modules, name) => {
          const found = lazy.filter((id) => id.endsWith(name));
          if (found.length === 0) throw new Error(`nothing imports ${name} lazily`);
          addAll(modules, found, importsOf);
        };
        addLazy(slide, SLIDE);
        addLazy(later, LATER);
      },
    },
  };
}

/** Adds modules and their imports, recursively. */
function addAll(modules, ids, importsOf) {
  const waiting = [...ids];
  for (const id of waiting) {
    if (modules.has(id)) continue;
    modules.add(id);
    waiting.push(...importsOf(id));
  }
}

/** @param {string} outdir @param {string} file @param {boolean} isSmall */
function describeAsset(outdir, file, isSmall) {
  const extension = file.slice(file.lastIndexOf('.'));
  const mediaType = MEDIA_TYPES[extension];
  if (mediaType === undefined) throw new Error(`no media type is known for ${file}`);
  const encodings = isSmall && COMPRESSED.has(extension) ? writeCompressed(join(outdir, file)) : [];
  return {
    url: file === 'index.html' ? '/' : `/${file}`,
    file,
    mediaType,
    immutable: file.startsWith('assets/'),
    encodings,
  };
}

/** @param {string} path */
function writeCompressed(path) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gzip`, gzipSync(bytes, { level: 9 }));
  return ['br', 'gzip'];
}
