import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of real files, in NEGATO_CORPUS or beside the repository; undefined where there is none. */
export const corpus: string | undefined = findCorpus();

function findCorpus(): string | undefined {
  const folder = process.env['NEGATO_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
  if (existsSync(folder)) return folder;
  console.warn(`tests on real files are skipped: there is no ${folder}; set NEGATO_CORPUS`);
  return undefined;
}
