import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { HealthResponse } from '../../src/shared/contract/health.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openPage } from '../support/browser.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { showsImage } from '../support/viewerPage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Building takes long on a busy machine. */
const PATIENCE_MS = 300_000;

test(
  'npm run dev shows a change of the page and of the server in the page that is open, at the same address',
  { timeout: PATIENCE_MS },
  async () => {
    const clone = copySources();
    const url = await startDev(clone, writeBelow(createTempFolder(), '0.dcm', writeSlice({ number: 0 })));
    const { page } = await openPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    await showsImage(page);

    replaceIn(join(clone, 'src/web/index.html'), '<html lang="en">', '<html lang="en" data-changed>');
    await page.locator('html[data-changed]').waitFor({ state: 'attached' });

    replaceIn(join(clone, 'src/server/doors/http/buildIdentity.ts'), "name: 'negato'", "name: 'changed'");
    const nameOfViewer = () =>
      page.evaluate(async (): Promise<string> => {
        const health: HealthResponse = await (await fetch('./api/health')).json();
        return health.viewer.name;
      });
    await expect.poll(nameOfViewer, { timeout: PATIENCE_MS }).toBe('changed');
    await showsImage(page);
  },
);

/** Everything that a build reads, in a folder that the test may change. */
function copySources(): string {
  const folder = createTempFolder();
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function replaceIn(path: string, old: string, next: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(old);
  writeFileSync(path, text.replace(old, next));
}

/** Starts it and returns the address of the page. */
async function startDev(clone: string, input: string): Promise<string> {
  const child = spawn(process.execPath, ['scripts/dev.mjs', '--no-browser', input], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const exit = once(child, 'exit');
    child.kill();
    await exit;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^negato: (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('it has ended');
}
