import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer, makeFirstSlice } from '../../scripts/build.mjs';
import { buildPage } from '../../scripts/buildPage.mjs';
import { findChromium } from '../../scripts/findChromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

declare global {
  /** The folder of a run that is prepared. */
  // oxlint-disable-next-line no-var -- a global needs it
  var negatoTestRun: string | undefined;
}

/**
 * Prepares the tests that need the build or a browser: worker threads and the page come from dist/, and the browser may
 * still be packed. Vitest calls this once for each project, in one process.
 */
export async function setup(): Promise<(() => void) | undefined> {
  if (globalThis.negatoTestRun !== undefined) return undefined;
  // All test processes inherit these variables: a folder for files that outlive a test, and inside it a folder for
  // ROIs, so that test servers do not touch the user's ROIs.
  const run = mkdtempSync(join(tmpdir(), 'negato-run-'));
  globalThis.negatoTestRun = run;
  const stateHome = join(run, 'state');
  mkdirSync(stateHome, { mode: 0o700 });
  process.env.NEGATO_TEST_RUN = run;
  process.env.XDG_STATE_HOME = stateHome;
  findChromium();
  if (areNoticesFresh()) {
    await buildServer();
    makeFirstSlice();
    if (!isPageFresh()) await buildPage();
  } else execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  return () => rmSync(run, { recursive: true, force: true });
}

/** The notices of other packages come with a whole build, and change with the packages. */
function areNoticesFresh(): boolean {
  const built = join(root, 'dist/sbom.cdx.json');
  return existsSync(built) && statSync(built).mtimeMs > statSync(join(root, 'package-lock.json')).mtimeMs;
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
