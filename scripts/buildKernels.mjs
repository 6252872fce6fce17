// Compiles the kernels, src/**/*.kernel.ts in AssemblyScript, to WebAssembly: loops over all bytes of a picture.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd', '--use', 'abort='];

/**
 * @param {string} root @param {string} outdir
 * @returns {Promise<{ path: string, contents: Uint8Array }[]>} the files of dist/kernels
 */
export async function kernelFiles(root, outdir) {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.kernel.ts'))
    .map((name) => join(root, 'src', name));
  return Promise.all(
    sources.map(async (source) => ({
      path: join(outdir, 'kernels', basename(source).replace('.kernel.ts', '.wasm')),
      contents: await compileOnce(root, source),
    })),
  );
}

/**
 * Caches the output for unchanged sources, because the compiler takes seconds to start.
 * @param {string} root @param {string} source
 */
async function compileOnce(root, source) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/assemblyscript/package.json'), 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify([version, OPTIONS]));
  // A kernel may import the files in its folder.
  for (const name of readdirSync(dirname(source)).toSorted()) {
    if (name.endsWith('.ts') && !name.endsWith('.test.ts')) hash.update(readFileSync(join(dirname(source), name)));
  }
  const cached = join(
    root,
    'node_modules/.cache/kernels',
    `${basename(source, '.kernel.ts')}-${hash.digest('hex')}.wasm`,
  );
  if (existsSync(cached)) return readFileSync(cached);
  const binary = await compile(source);
  mkdirSync(dirname(cached), { recursive: true });
  const draft = `${cached}.${process.pid}.tmp`;
  writeFileSync(draft, binary);
  renameSync(draft, cached);
  return binary;
}

/** @param {string} source @returns {Promise<Uint8Array>} */
async function compile(source) {
  const { main } = await import('assemblyscript/asc');
  /** @type {Uint8Array | undefined} */
  let binary;
  let messages = '';
  const stderr = { write: (text) => void (messages += text) };
  const { error } = await main([basename(source), '--outFile', 'kernel.wasm', ...OPTIONS], {
    readFile: (name) => {
      const path = join(dirname(source), name);
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    },
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') binary = contents;
    },
    listFiles: () => [],
    stderr,
  });
  if (error !== null || binary === undefined)
    throw new Error(`${source} cannot be compiled: ${messages}`, { cause: error });
  return binary;
}
