import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctRow } from '../support/imageElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** On Windows npm is a script, which only a shell can start. */
function npm(folder: string, ...args: readonly string[]): void {
  const isWindows = process.platform === 'win32';
  execFileSync(isWindows ? 'npm.cmd' : 'npm', args, { cwd: folder, stdio: 'pipe', shell: isWindows });
}

test('the package, installed without a network, opens a file and serves its page', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'home/package.json', '{ "private": true }');
  // What `prepare` would build exists already, because no test could run without it.
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(tarballs).toHaveLength(1);
  const home = join(folder, 'home');
  npm(home, 'install', '--offline', '--no-audit', '--no-fund', join(folder, tarballs[0]!));

  expect(existsSync(join(home, 'node_modules/.bin/negato'))).toBe(true);
  expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['negato']);
  const image = writeBelow(folder, 'data/image.dcm', writeDicom(ctRow()));
  const server = await startBuiltServer([image], {}, join(home, 'node_modules/negato/dist'));
  try {
    expect(await listFiles(server.baseUrl)).toMatchObject([{ index: 0, modality: 'CT' }]);
    const frame = await fetch(`${server.baseUrl}/api/file/0/frame/0`);
    expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'image/png']);
    const page = await fetch(server.baseUrl);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [script] = /assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    expect((await fetch(`${server.baseUrl}/${script}`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
