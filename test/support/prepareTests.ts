import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer, makeFirstSlice } from '../../scripts/build.mjs';
import { buildPage } from '../../scripts/buildPage.mjs';
import { findChromium } from '../../scripts/findChromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Vitest runs this once before all tests: worker threads and the page come from dist/, the browser may be packed. */
export async function setup(): Promise<() => void> {
  // Servers that tests start keep their ROIs in here, not with those of the user. All tests inherit it.
  const stateHome = mkdtempSync(join(tmpdir(), 'negato-state-'));
  process.env.XDG_STATE_HOME = stateHome;
  findChromium();
  await buildServer();
  makeFirstSlice();
  if (!isPageFresh()) await buildPage();
  return () => rmSync(stateHome, { recursive: true, force: true });
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
