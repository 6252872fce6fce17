// The compiled code of worker threads, which is part of the package: V8 otherwise parses a thread's whole bundle whenever
// a thread starts. V8 rejects a cache of another version or with other flags, and then compiles the bundle as usual.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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

/** @param {string} name */
const loaderOf = (name) => `'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

const filename = join(__dirname, 'threads', '${name}.cjs');
let cachedData;
try {
  cachedData = readFileSync(join(__dirname, 'threads', '${name}.cache'));
} catch {
  // The code is compiled as usual.
}
const code = \`(function (exports, require, module, __filename, __dirname) {\${readFileSync(filename, 'latin1')}\\n})\`;
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const script = new Script(code, { filename, cachedData, importModuleDynamically });
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;

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
    for (const path of REQUESTS) await (await fetch(`${baseUrl}/api/${path}`)).arrayBuffer();
  } catch (error) {
    console.warn('warning: the code cache was not written, so threads start more slowly:', error);
  } finally {
    server.kill();
    await ended;
    rmSync(state, { recursive: true, force: true });
  }
}

/** @param {string} baseUrl */
async function untilScanned(baseUrl) {
  for (;;) {
    const { scan_complete: isComplete } = await (await fetch(`${baseUrl}/api/files`)).json();
    if (isComplete) return;
    await new Promise((next) => setTimeout(next, 20));
  }
}
