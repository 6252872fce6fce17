// The compiled code of worker threads, which is part of the package: V8 otherwise parses a thread's whole bundle whenever
// a thread starts. The cache is for the version of Node and the platform of the build; others compile the bundle as usual.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * The name by which the code of a thread imports modules that are not in its bundle. Node does not know where code out of
 * a cache would import from, so that its own `import()` throws there.
 */
export const LOADER_IMPORT = '__import';

/**
 * The bundle of a thread as two files: the code, and a loader with the name of the bundle. The name of the code has a
 * digest, because V8 compares only the length of the code with that of a cache.
 * @param {{ path: string, contents: Uint8Array }} bundle
 */
export function withLoader({ path, contents }) {
  if (contents.some((byte) => byte > 127)) throw new Error(`${path} is not ASCII`);
  const digest = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  const name = `${basename(path, '.cjs')}-${digest}`;
  const code = { path: join(dirname(path), 'threads', `${name}.cjs`), contents };
  return [code, { path, contents: Buffer.from(loaderOf(name)) }];
}

/**
 * A file ends with the checksum of what is before it, because V8 does not look for damage.
 * @param {string} name
 */
const loaderOf = (name) => `'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const code = join(__dirname, 'threads', '${name}');
const filename = code + '.cjs';
const parameters = 'exports, require, module, __filename, __dirname, ${LOADER_IMPORT}';
const text = '(function (' + parameters + ') {' + readFileSync(filename, 'latin1') + '\\n})';
const run = new Script(text, { filename, cachedData: readCache() }).runInThisContext();
run(exports, require, module, __filename, __dirname, (specifier) => import(specifier));

function readCache() {
  try {
    const file = readFileSync([code, process.version, process.platform, process.arch].join('-') + '.cache');
    const data = file.subarray(0, -4);
    return crc32(data) === file.readUInt32LE(data.length) ? data : undefined;
  } catch {
    // The code is compiled as usual.
    return undefined;
  }
}
`;

/**
 * Removes the code and caches of earlier builds of these bundles.
 * @param {readonly string[]} written the files of this build
 */
export function removeOldCode(written) {
  const code = written.filter((path) => basename(dirname(path)) === 'threads');
  for (const path of code) {
    const name = basename(path, '.cjs');
    const bundle = name.replace(/[0-9a-f]{16}$/, '');
    for (const other of readdirSync(dirname(path))) {
      const isOfBundle = other.startsWith(bundle) && /^[0-9a-f]{16}/.test(other.slice(bundle.length));
      if (isOfBundle && !other.startsWith(name)) rmSync(join(dirname(path), other), { force: true });
    }
  }
}

/** What a page requests of the first file that it shows. */
const REQUESTS = [
  'series',
  'file/0/info',
  'file/0/tags',
  'file/0/references',
  'file/0/value-mapping',
  'file/0/annotations',
  'file/0/frame/0',
  'file/0/frame/0/raw',
  'file/0/frame/0/thumbnail',
];

/**
 * Writes the caches. They contain the functions that were called until then, so the built command serves a file first.
 * Without them everything works, only later, so a failure is no reason for a build to fail.
 * @param {string} dist @param {string} file
 */
export async function writeCodeCache(dist, file) {
  const recorder = fileURLToPath(new URL('recordCodeCache.cjs', import.meta.url));
  const state = mkdtempSync(join(tmpdir(), 'negato-build-'));
  const command = [join(dist, 'negato.js'), '--startup-json', '--no-browser', '--no-token', file];
  const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(recorder)}`, XDG_STATE_HOME: state };
  const server = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'], env });
  const ended = once(server, 'exit');
  try {
    const [line] = await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended]);
    if (typeof line !== 'string') throw new Error(`the command ended with ${line}`);
    const { base_url: baseUrl } = JSON.parse(line);
    await untilScanned(baseUrl);
    for (const path of REQUESTS) await (await ask(`${baseUrl}/api/${path}`)).arrayBuffer();
  } catch (error) {
    console.warn('warning: the code cache was not written, so threads start more slowly:', error);
  } finally {
    server.kill();
    await ended;
    rmSync(state, { recursive: true, force: true });
    // A thread may have ended while it wrote.
    const threads = join(dist, 'threads');
    for (const name of readdirSync(threads)) if (name.endsWith('.tmp')) rmSync(join(threads, name), { force: true });
  }
}

const LONGEST_ANSWER_MS = 30_000;

/** @param {string} url */
function ask(url) {
  return fetch(url, { signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
}

/** @param {string} baseUrl */
async function untilScanned(baseUrl) {
  for (;;) {
    const { scan_complete: isComplete } = await (await ask(`${baseUrl}/api/files`)).json();
    if (isComplete) return;
    await new Promise((next) => setTimeout(next, 20));
  }
}
