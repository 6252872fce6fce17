// Builds the page into dist/web, with compressed forms beside each file and a list of all of them for the server.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
 * The page is built aside and put in its place when it is whole: a server may be reading the one that is there.
 * Answers the modules that are in it.
 */
export async function buildPage({ outdir = join(root, 'dist/web') } = {}) {
  const draft = `${outdir}.${process.pid}.new`;
  const { groups, plugin } = groupModules();
  /** @type {Set<string>} */
  const modules = new Set();
  const environment = process.env.NODE_ENV;
  // A test runner sets another one, which would bundle the development form of React.
  process.env.NODE_ENV = 'production';
  await build({
    configFile: false,
    root: join(root, 'src/web'),
    // Relative URLs: the page also works behind a path prefix.
    base: './',
    logLevel: 'warn',
    plugins: [react(), plugin, { name: 'modules', generateBundle: (_, bundle) => collectModules(bundle, modules) }],
    build: {
      outDir: draft,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      // Styles come once and whole: a part that comes late never shows without its own.
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        output: { codeSplitting: { groups } },
      },
    },
  });
  if (environment === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = environment;
  const entries = readdirSync(draft, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => describeAsset(draft, join(entry.parentPath, entry.name).slice(draft.length + 1)));
  writeFileSync(join(draft, 'assets.json'), JSON.stringify(entries));
  const old = `${outdir}.${process.pid}.old`;
  if (existsSync(outdir)) renameSync(outdir, old);
  renameSync(draft, outdir);
  rmSync(old, { recursive: true, force: true });
  return modules;
}

function collectModules(bundle, modules) {
  for (const chunk of Object.values(bundle)) for (const id of chunk.moduleIds ?? []) modules.add(id);
}

/** What every page loads after its first image. */
const LATER = '/shell/lateParts.ts';
/** The first image of a page that opens on a slide, which must not wait for the former. */
const SLIDE = '/slide/SlidePicture.tsx';

/**
 * All that the page needs at its start becomes one file, and all that every page needs later another. Left alone the
 * bundler would make a file of whatever two parts share, each a request.
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
      { name: 'index', test: (id) => first.has(id) },
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

/** Adds modules and what they import. */
function addAll(modules, ids, importsOf) {
  const waiting = [...ids];
  for (const id of waiting) {
    if (modules.has(id)) continue;
    modules.add(id);
    waiting.push(...importsOf(id));
  }
}

/** @param {string} outdir @param {string} file */
function describeAsset(outdir, file) {
  const extension = file.slice(file.lastIndexOf('.'));
  const mediaType = MEDIA_TYPES[extension];
  if (mediaType === undefined) throw new Error(`no media type is known for ${file}`);
  const encodings = COMPRESSED.has(extension) ? writeCompressed(join(outdir, file)) : [];
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
