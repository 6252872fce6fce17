import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer } from '../../scripts/build.mjs';
import { buildPage } from '../../scripts/buildPage.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Vitest runs this once before all tests: worker threads and the page come from dist/. */
export async function setup(): Promise<void> {
  try {
    await buildServer();
  } catch {
    console.warn('the server does not build as a whole; trying its entries one by one');
    for (const entry of ['worker', 'scan.worker', 'demo.worker'])
      await buildServer({ entries: [entry] }).catch(() => undefined);
  }
  if (!isPageFresh()) await buildPage().catch(() => console.warn('the page does not build'));
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
