import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Lints a tree of these files under the rules of the project. */
async function lint(files: Record<string, string>, flags: readonly string[] = []): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'negato-lint-'));
  try {
    await copyFile(join(root, 'oxlint.config.mjs'), join(tree, 'oxlint.config.mjs'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const oxlint = join(root, 'node_modules/.bin/oxlint');
    // Without colors, which CI machines enable: color codes would separate a path from its bracket.
    const { CI: _ci, FORCE_COLOR: _color, ...rest } = process.env;
    const options = { cwd: tree, env: { ...rest, NO_COLOR: '1' } };
    const { stdout } = await run(oxlint, ['-c', 'oxlint.config.mjs', '--deny-warnings', ...flags], options);
    return stdout;
  } catch (failure) {
    return failure instanceof Error && 'stdout' in failure ? String(failure.stdout) : String(failure);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

const VALUE = 'export const value = 1;\n';

describe('what would hold memory beside the account of the server', () => {
  const SHARED =
    "import { createByteCache } from '../../../shared/byteCache.ts';\nexport const cache = createByteCache(1);\n";
  const files = { 'src/shared/byteCache.ts': 'export const createByteCache = (bytes: number) => bytes;\n' };

  test('is refused in every folder of the server', async () => {
    expect(await lint({ ...files, 'src/server/images/semantics/a.ts': SHARED })).toContain(
      'The memory account makes it',
    );
  });

  test('and made in the folder of the account', async () => {
    expect(await lint({ ...files, 'src/server/machine/memory/a.ts': SHARED })).not.toContain('no-restricted-imports');
  });
});

describe('input files are opened by the folder of the origins alone', () => {
  const OPENS = "export { openSync } from 'node:fs';\n";
  const inside = ['openFile', 'origin', 'localFiles', 'walk', 'origins', 'byteSource', 'sourceColumns'];
  const files = Object.fromEntries(inside.map((name) => [`src/server/bytes/origins/${name}.ts`, VALUE]));

  test('other folders that work with them may use neither the file system nor what is inside that folder', async () => {
    const refused = {
      'src/server/standard/dicom/a.ts': OPENS,
      'src/server/images/pixels/codecs/a.ts': OPENS,
      'src/server/images/catalog/a.ts': OPENS,
      'src/server/images/semantics/a.ts': OPENS,
      'src/server/doors/http/routes/a.ts': OPENS,
      'src/server/images/pixels/b.ts': "export { value } from '../../bytes/origins/openFile.ts';\n",
      'src/server/doors/http/routes/b.ts': "export { value } from '../../../bytes/origins/origin.ts';\n",
      'src/demo/b.ts': "export { value } from '../server/bytes/origins/localFiles.ts';\n",
      'src/cli/b.ts': "export { value } from '../server/bytes/origins/walk.ts';\n",
    };
    const output = await lint({ ...files, ...refused });
    for (const file of Object.keys(refused)) expect(output).toContain(`[${file}:`);
    expect(output.split('Files are listed, opened and compared by')).toHaveLength(Object.keys(refused).length + 1);
  });

  test('that folder may, and those with files of their own; and the functions of the origins are for all', async () => {
    const allowed = {
      'src/server/bytes/origins/a.ts': OPENS,
      'src/server/work/annotations/a.ts': OPENS,
      'src/server/images/pixels/codecs/loadLibrary.ts': OPENS,
      'src/server/images/catalog/a.ts': ['origins', 'byteSource', 'sourceColumns']
        .map((name) => `export { value as ${name} } from '../../bytes/origins/${name}.ts';\n`)
        .join(''),
    };
    expect(await lint({ ...files, ...allowed })).toContain('Found 0 warnings and 0 errors');
  });
});

describe('a folder may not import from a folder to its right', () => {
  test.each([
    ['src/server/standard/dicom/a.ts', '../../images/pixels/b.ts'],
    ['src/server/images/catalog/a.ts', '../../doors/http/b.ts'],
    ['src/server/images/pixels/codecs/a.ts', '../../catalog/b.ts'],
    ['src/server/doors/http/routes/a.ts', '../../../../cli/b.ts'],
    ['src/server/standard/dicom/a.ts', '../../../web/b.ts'],
    ['src/shared/a.ts', '../server/standard/dicom/b.ts'],
    ['src/shared/contract/a.ts', '../../web/b.ts'],
    ['src/web/kit/ui/a.ts', '../../show/pictures/b.ts'],
    ['src/web/kit/api/a.ts', '../../../server/standard/dicom/b.ts'],
    ['src/web/App.ts', '../server/standard/dicom/b.ts'],
    ['src/web/shell/a.ts', '../../../scripts/b.mjs'],
    ['src/demo/a.ts', '../cli/b.ts'],
  ])('%s from %s', async (file, imported) => {
    const output = await lint({
      [file]: `export { value } from '${imported}';\n`,
      [join(dirname(file), imported)]: VALUE,
    });
    expect(output).toContain('eslint(no-restricted-imports)');
  });

  test.each([
    ['src/server/images/pixels/a.ts', '../../standard/dicom/b.ts'],
    ['src/server/doors/http/routes/a.ts', '../../../images/catalog/b.ts'],
    ['src/server/standard/dicom/a.ts', '../../../shared/b.ts'],
    ['src/web/show/pictures/a.ts', '../../kit/ui/b.ts'],
    ['src/cli/a.ts', '../server/doors/http/b.ts'],
  ])('and %s may import from %s', async (file, imported) => {
    const output = await lint({
      [file]: `export { value } from '${imported}';\n`,
      [join(dirname(file), imported)]: VALUE,
    });
    expect(output).toContain('Found 0 warnings and 0 errors');
  });
});

test('two files may not import each other', async () => {
  const output = await lint({
    'src/server/standard/dicom/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
    'src/server/standard/dicom/b.ts': "import { a } from './a.ts';\nexport const b = () => a;\n",
  });
  expect(output).toContain('import(no-cycle)');
});

test('nor may two files import each other for types alone', async () => {
  const output = await lint({
    'src/web/kit/state/a.ts': "import type { B } from './b.ts';\nexport type A = { readonly b?: B };\n",
    'src/web/kit/state/b.ts': "import type { A } from './a.ts';\nexport type B = { readonly a?: A };\n",
  });
  expect(output).toContain('import(no-cycle)');
});

test('shared code may not import a Node module', async () => {
  const output = await lint({ 'src/shared/a.ts': "export { join } from 'node:path';\n" });
  expect(output).toContain('eslint(no-restricted-imports)');
});

test.each([
  ['DicomFile', 'dicomFile'],
  ['Placement', 'placement'],
])('a copy of a %s by its own fields may not be made: it would have none', async (type, file) => {
  const output = await lint(
    {
      'tsconfig.json': JSON.stringify({
        compilerOptions: { strict: true, noEmit: true, allowImportingTsExtensions: true },
      }),
      [`src/server/images/catalog/${file}.ts`]: await readFile(
        join(root, `src/server/images/catalog/${file}.ts`),
        'utf8',
      ),
      'src/server/images/catalog/copy.ts': `import type { ${type} } from './${file}.ts';\nexport const copy = (one: ${type}) => ({ ...one });\n`,
    },
    ['--type-aware'],
  );
  expect(output).toContain('typescript(no-misused-spread)');
});

test('a function of the sources has at most 200 lines, without blank ones and comments', async () => {
  const output = await lint({
    'src/server/images/series/a.ts': writeFunction(200),
    'src/web/kit/ui/b.ts': writeFunction(201),
  });
  expect(output).toContain('max-lines-per-function');
  expect(output).toContain('[src/web/kit/ui/b.ts:');
  expect(output).not.toContain('[src/server/images/series/a.ts:');
});

test('the check finds errors of types, in each file with the globals of its project', async () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  expect(scripts['check']).toContain('npm run lint');
  const flags = scripts['lint']?.split(' ').filter((flag) => flag.startsWith('--type')) ?? [];
  const output = await lint(
    {
      'tsconfig.json': '{ "files": [], "references": [{ "path": "src/server" }, { "path": "src/web" }] }',
      'src/server/tsconfig.json': project('"es2023"'),
      'src/web/tsconfig.json': project('"es2023", "dom"'),
      'src/server/standard/dicom/a.ts': "export const value: number = 'one';\n",
      'src/server/standard/dicom/b.ts': 'export const value = document.title;\n',
      'src/web/kit/ui/a.ts': 'export const value = document.title;\n',
    },
    flags,
  );
  expect(output).toMatch(/TS2322[^[]*\[src\/server\/standard\/dicom\/a\.ts:/);
  expect(output).toMatch(/TS2584[^[]*\[src\/server\/standard\/dicom\/b\.ts:/);
  expect(output).not.toContain('[src/web/ui/a.ts:');
});

function project(lib: string): string {
  return `{ "compilerOptions": { "strict": true, "lib": [${lib}] }, "include": ["."] }`;
}

function writeFunction(lines: number): string {
  return [
    'export function work(values: number[]): void {',
    '',
    '  // Adds.',
    ...Array.from({ length: lines - 2 }, () => '  values.push(1);'),
    '}',
    '',
  ].join('\n');
}
