import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_FILES } from '../../src/demo/demoFiles.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { listLeftovers, startNegato } from './negatoProcess.ts';

// The process that writes the study has a low priority: beside other tests on two processors it takes minutes.
const PATIENCE_MS = 300_000;

test(
  'without a path the demo study is made in a private folder; its first slice can be seen at once, and all is gone afterwards',
  async () => {
    const negato = await startNegato([]);
    const { base_url: url } = negato.started;
    const listed = async (): Promise<FilesResponse> => (await fetch(`${url}/api/files`)).json();
    await expect.poll(async () => (await listed()).scanned, { interval: 10, timeout: PATIENCE_MS }).toBeGreaterThan(0);

    const { files, making_demo: making, scan_complete: isOver } = await listed();
    expect(isOver).toBe(false);
    expect(making).toEqual({ written: expect.any(Number), total: DEMO_FILES.length });
    expect(making?.written).toBeLessThan(DEMO_FILES.length);
    expect(files[0]).toMatchObject({ modality: 'CT', instance_number: '1' });
    expect((await fetch(`${url}/api/file/0/frame/0`)).status).toBe(200);

    const [, count] = await negato.waitFor('stdout', /"type":"scan_complete","file_count":(\d+)/, PATIENCE_MS);
    // At least the 60 slices of the CT and one file of each other kind.
    expect(Number(count)).toBeGreaterThan(70);
    const [folder = ''] = await readdir(negato.temporaryFolder);
    expect((await stat(join(negato.temporaryFolder, folder))).mode & 0o777).toBe(0o700);
    const whole = await listed();
    expect(whole.making_demo).toBeNull();
    // The order is the same on every run, regardless of the speed of the threads.
    const images = DEMO_FILES.filter((name) => name.endsWith('.dcm'));
    expect(whole.files.map(({ path }) => images.findIndex((name) => path.endsWith(name)))).toEqual([...images.keys()]);
    // The output of a model lies beside them.
    expect(whole.attachments).toBe(1);
    // The first file has not changed since it was listed.
    expect((await fetch(`${url}/api/file/0/frame/0?wc=1&ww=2`)).status).toBe(200);

    negato.signal('SIGINT');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
    expect(await listLeftovers(negato)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'a signal while the demo study is being written leaves nothing of it',
  async () => {
    const negato = await startNegato(['--demo']);
    const written = async () => {
      const [folder] = await readdir(negato.temporaryFolder);
      return folder === undefined ? 0 : (await readdir(join(negato.temporaryFolder, folder))).length;
    };
    await expect.poll(written, { interval: 10, timeout: PATIENCE_MS }).toBeGreaterThan(0);
    negato.signal('SIGTERM');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
    expect(await listLeftovers(negato)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the next start removes the demo study of a negato that was killed',
  async () => {
    const killed = await startNegato(['--demo']);
    await expect.poll(() => listLeftovers(killed), { timeout: PATIENCE_MS }).toHaveLength(1);
    killed.signal('SIGKILL');
    await killed.exit;
    expect(await listLeftovers(killed)).toHaveLength(1);

    await startNegato([createTempFolder()], { env: { TMPDIR: killed.temporaryFolder } });

    await expect.poll(() => listLeftovers(killed), { timeout: PATIENCE_MS }).toEqual([]);
  },
  PATIENCE_MS,
);
