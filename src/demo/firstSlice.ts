import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distFolder } from '../server/machine/workers/workerFile.ts';
import { FIRST_FILE } from './demoFiles.ts';

/**
 * Copies the slice that is included in the build into the folder. If there is none, the slice is generated like all
 * others.
 */
export function copyFirstSlice(folder: string): boolean {
  try {
    const target = join(folder, FIRST_FILE);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(fileURLToPath(new URL('demo-first.dcm', distFolder())), target);
    return true;
  } catch {
    return false;
  }
}
