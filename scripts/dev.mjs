// npm run dev [-- OPTIONS PATH…]: builds into dist.dev, opens the files (without any, the demo study), and after each change of a source builds what has
// changed, starts the server again at the same address, and loads the page again. ROIs and marks are kept. Types are not
// checked: `npx tsc -b --watch` does that.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildServer, makeFirstSlice } from './build.mjs';
import { buildPage } from './buildPage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'dist.dev');
const args = process.argv.slice(2);

/** Editors write a file in several steps, and a change of branch writes many files. */
const PAUSE_MS = 100;

/** Added to the page. A server that was started again has another build. */
const RELOAD = `let first;
setInterval(async () => {
  try {
    const { server_start_ms: start } = await (await fetch('./api/health')).json();
    first ??= start;
    if (start !== first) location.reload();
  } catch {
    // It is being started again.
  }
}, 500);
`;

/** @type {import('vite').Plugin} */
const reload = {
  name: 'reload',
  transformIndexHtml: () => [{ tag: 'script', attrs: { type: 'module', src: './reload.js' }, injectTo: 'body' }],
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'reload.js', source: RELOAD });
  },
};

/** Parts that have changed since they were built. @type {Set<'page' | 'server'>} */
const changed = new Set(['page', 'server']);
let isBuilding = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
/** Of the first server, for its successors. @type {number | undefined} */
let port;

async function buildChanged() {
  if (isBuilding) return;
  isBuilding = true;
  while (changed.size > 0) {
    const parts = [...changed];
    changed.clear();
    try {
      if (parts.includes('server')) await buildServer({ outdir });
      if (parts.includes('page')) await buildPage({ outdir: join(outdir, 'web'), plugins: [reload], isSmall: false });
      makeFirstSlice({ outdir });
      if (changed.size === 0) await startServer();
    } catch (error) {
      console.error(`${error instanceof Error ? error.message : String(error)}\nnegato: waiting for the next change`);
    }
  }
  isBuilding = false;
}

async function startServer() {
  if (server !== undefined && server.exitCode === null && server.signalCode === null) {
    const exit = once(server, 'exit');
    server.kill();
    await exit;
  }
  const again = port === undefined ? [] : ['--port', String(port), '--no-browser', '--restore'];
  const given = args.length > 0 ? args : [makeDemo()];
  server = spawn(process.execPath, [join(outdir, 'negato.js'), '--startup-json', ...given, ...again], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const event = JSON.parse(line);
    if (event.type !== 'server_started') continue;
    port = event.port;
    console.log(`negato: ${event.url}`);
    break;
  }
  server.stdout.resume();
}

/** Made once, because making it takes longer than building. */
function makeDemo() {
  const folder = join(outdir, 'demo');
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}.new`;
  mkdirSync(draft);
  execFileSync(process.execPath, [join(outdir, 'demo.process.js'), draft]);
  renameSync(draft, folder);
  return folder;
}

watch(join(root, 'src'), { recursive: true }, (_, name) => {
  if (name === null || /\.test\.tsx?$/.test(name)) return;
  const [folder] = name.split(sep);
  if (folder !== 'web') changed.add('server');
  if (folder === 'web' || folder === 'shared') changed.add('page');
  setTimeout(() => void buildChanged(), PAUSE_MS);
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    server?.kill();
    process.exit(0);
  });
}
await buildChanged();
