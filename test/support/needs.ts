import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

declare module 'vitest' {
  interface TaskMeta {
    /** What the test cannot do without. */
    needs?: Need;
  }
}

/** What not every machine has. The key is what the summary of a run says. */
const NEEDS = {
  'the corpus of real files (NEGATO_CORPUS)': () => findCorpus() !== undefined,
  Linux: () => process.platform === 'linux',
  'a system with POSIX paths and permissions': () => process.platform !== 'win32',
  'the user root': () => process.getuid?.() === 0,
  'the ssh command': () => findProgram('ssh') !== undefined,
} as const;

export type Need = keyof typeof NEEDS;
export const CORPUS: Need = 'the corpus of real files (NEGATO_CORPUS)';

/** Options of a test or a suite that is skipped where something is missing; the summary names what. */
export function needs(need: Need): { readonly skip: boolean; readonly meta: { readonly needs: Need } } {
  return { skip: !NEEDS[need](), meta: { needs: need } };
}

/** The folder of real files, in NEGATO_CORPUS or beside the repository; undefined where there is none. */
export function findCorpus(): string | undefined {
  const folder = process.env['NEGATO_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** Where a command of the system is, if it has it. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
