import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { needs } from '../support/needs.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { COMMAND } from './negatoProcess.ts';

// The recipes of docs/scale.md, run as they are written there but for the names of folders and machines.
const DOCS = readFileSync(fileURLToPath(new URL('../../docs/scale.md', import.meta.url)), 'utf8');

/** The only block of code in which a text occurs. */
function findRecipe(text: string): string {
  const found = [...DOCS.matchAll(/```python\n([\s\S]*?)```/g)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes(text));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** Twelve files, of which those with even numbers are MR, with echo times of 0, 10, 20 and so on. */
function writeArchive(): string {
  const folder = createTempFolder();
  for (let number = 0; number < 12; number += 1) {
    const own = {
      SOPInstanceUID: `1.2.${number}`,
      Modality: number % 2 === 0 ? 'MR' : 'CT',
      EchoTime: `${number * 10}`,
    };
    writeBelow(folder, `${number}.dcm`, writeDicom(ctElements(own)));
  }
  return folder;
}

/** Runs Python in a folder in which `negato` is a command. */
function run(program: string, folder: string): string {
  const bin = createTempFolder();
  writeFileSync(join(bin, 'negato'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
  chmodSync(join(bin, 'negato'), 0o755);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  const python = process.env['PYTHON'] ?? 'python3';
  const { stdout, stderr, status } = spawnSync(python, ['-c', program], { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function index(archive: string, folder: string): void {
  for (const part of [1, 2]) {
    const out = join(folder, `index-${part}.parquet`);
    spawnSync(process.execPath, [COMMAND, 'index', archive, '--out', out, '--shard', `${part}/2`]);
  }
}

test('the recipe for Dask indexes all parts', needs('Python 3.9 with Dask'), () => {
  const [archive, folder] = [writeArchive(), createTempFolder()];
  const recipe = findRecipe('dask.distributed')
    .replaceAll('/data/archive', archive)
    .replaceAll('/32', '/3')
    .replace('range(1, 33)', 'range(1, 4)')
    .replace(
      'Client("scheduler:8786")',
      'Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)',
    );
  run(recipe, folder);
  const merged = spawnSync(
    process.execPath,
    [COMMAND, 'index', '--merge', ...[1, 2, 3].map((part) => `index-${part}.parquet`), '--out', 'index.parquet'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(merged.stdout).toContain('index.parquet: 12 files of 3 indexes\n');
});

test('the recipe for Spark chooses rows of all parts', needs('Python 3.9 with PySpark, and Java'), () => {
  const [archive, folder] = [writeArchive(), createTempFolder()];
  index(archive, folder);
  const recipe = findRecipe('spark.read').trim();
  const session =
    "SparkSession.builder.master('local[1]').config('spark.ui.enabled', False).config('spark.driver.host', '127.0.0.1')";
  const program = [
    'from pyspark.sql import SparkSession',
    `spark = ${session}.getOrCreate()`,
    `print(sorted(row.path for row in ${recipe}.collect()))`,
  ].join('\n');
  // EchoTime < 30 of MR: files 0 and 2.
  expect(run(program, folder).trim()).toBe(`['${archive}/0.dcm', '${archive}/2.dcm']`);
});
