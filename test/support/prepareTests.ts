import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer } from '../../scripts/build.mjs';
import { buildPage } from '../../scripts/buildPage.mjs';
import { findChromium } from '../../scripts/findChromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Vitest runs this once before all tests: worker threads and the page come from dist/, the browser may be packed. */
export async function setup(): Promise<void> {
  findChromium();
  await buildServer();
  if (!isPageFresh()) await buildPage();
}

function isPageFresh(): boolean {
  const built = join(root, 'dist/web/assets.json');
  if (!existsSync(built)) return false;
  const builtMs = statSync(built).mtimeMs;
  const sources = ['src/web', 'src/shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  return sources.every((path) => statSync(path).mtimeMs < builtMs);
}
