import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasOrthancDicomweb } from './orthanc.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the test requires. */
    needs?: Need;
  }
}

/** Requirements that not every machine meets. The key is the text in the summary of a run. */
const NEEDS = {
  'the corpus of real files (NEGATO_CORPUS)': () => findCorpus() !== undefined,
  'the files for layers (NEGATO_LAYERS_DATA)': () => findLayersData() !== undefined,
  Linux: () => process.platform === 'linux',
  'a system with POSIX paths and permissions': () => process.platform !== 'win32',
  'the user root': () => process.getuid?.() === 0,
  'the S3 server of moto (moto_server)': () => findProgram('moto_server') !== undefined,
  'the Azure server Azurite (azurite-blob)': () => findProgram('azurite-blob') !== undefined,
  'Orthanc with its DICOMweb plugin': () => hasOrthancDicomweb(),
  'the web server nginx': () => findProgram('nginx') !== undefined,
  'the ssh command': () => findProgram('ssh') !== undefined,
  'Python 3.9 with pytest': () =>
    runPython('-c', 'import sys, pytest; sys.exit(sys.version_info < (3, 9))').status === 0,
  'Python 3.9 with pyarrow and DuckDB': () => runPython('-c', 'import pyarrow.parquet, duckdb').status === 0,
  'Python 3.9 with Dask': () => runPython('-c', 'import dask.distributed').status === 0,
  'Python 3.9 with PySpark, and Java': () =>
    findProgram('java') !== undefined && runPython('-c', 'import pyspark').status === 0,
  'Python 3.9 with numpy': () => runPython('-c', 'import sys, numpy; sys.exit(sys.version_info < (3, 9))').status === 0,
} as const;

export type Need = keyof typeof NEEDS;
export const CORPUS: Need = 'the corpus of real files (NEGATO_CORPUS)';
export const LAYERS_DATA: Need = 'the files for layers (NEGATO_LAYERS_DATA)';

/** Options of a test or suite that is skipped if a requirement is not met. The summary names the requirement. */
export function needs(need: Need): { readonly skip: boolean; readonly meta: { readonly needs: Need } } {
  return { skip: !NEEDS[need](), meta: { needs: need } };
}

/** The folder of real files, in NEGATO_CORPUS or beside the repository; undefined if there is none. */
export function findCorpus(): string | undefined {
  return findShared('NEGATO_CORPUS', 'corpus');
}

/** The folder of files for layers: plans with their images, and a phantom whose measures are known. */
export function findLayersData(): string | undefined {
  return findShared('NEGATO_LAYERS_DATA', 'layers-data');
}

function findShared(variable: string, name: string): string | undefined {
  const folder = process.env[variable] ?? fileURLToPath(new URL(`../../../shared/${name}`, import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** The path of a system command; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Runs Python, which PYTHON may name, in the folder of the Python package. */
export function runPython(...args: readonly string[]) {
  const cwd = fileURLToPath(new URL('../../python', import.meta.url));
  return spawnSync(process.env['PYTHON'] ?? 'python3', args, { cwd, encoding: 'utf8' });
}
