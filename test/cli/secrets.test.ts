import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { createPrograms, type NegatoProcess, runNegato, startNegato } from './negatoProcess.ts';
import { needs } from '../support/needs.ts';

const TOKEN = 'a-token-to-be-found-nowhere-else-0123456789';
const NOBODY = 65_534;

/**
 * Searches the arguments and the environment of every process. The token comes through stdin, because in its own
 * arguments the search would find it.
 */
const SEARCH = `
  const fs = require('node:fs');
  const token = fs.readFileSync(0, 'latin1').trim();
  const found = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
    for (const file of ['cmdline', 'environ']) {
      try {
        if (fs.readFileSync('/proc/' + pid + '/' + file, 'latin1').includes(token)) found.push(pid + '/' + file);
      } catch {}
    }
  }
  console.log(JSON.stringify(found));`;

/** Where another user finds the token. Without root the search runs as the same user. */
async function searchProcesses(token: string): Promise<string[]> {
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(process.execPath, ['-e', SEARCH], { env: {}, cwd: '/', stdio: 'pipe', ...asNobody });
  child.stdin.end(token);
  return JSON.parse(await text(child.stdout));
}

function writeImageFile(): string {
  return writeBelow(createTempFolder(), 'a.dcm', writeDicom(ctRow()));
}

async function stop(negato: NegatoProcess): Promise<void> {
  negato.signal('SIGTERM');
  await negato.exit;
}

// /proc is specific to Linux.
describe('the token', { ...needs('Linux'), timeout: 180_000 }, () => {
  test.each([
    ['made up', ['--token'], {}],
    ['of the environment', ['--token'], { NEGATO_TOKEN: TOKEN }],
    ['on a public address', ['--host', '0.0.0.0'], { NEGATO_TOKEN: TOKEN }],
  ] as const)(
    '%s is in no argument list, in no environment that another user can read, and in no log',
    async (_, args, env) => {
      const negato = await startNegato([...args, '--log-level', 'debug', writeImageFile()], { env });
      const { base_url: baseUrl, token } = negato.started;
      const url = baseUrl.replace('0.0.0.0', '127.0.0.1');
      for (const given of [`Bearer ${token}`, `Bearer ${token}x`, `Basic ${token}`]) {
        await (await fetch(`${url}/api/files?token=${token}`, { headers: { Authorization: given } })).text();
      }

      // Without root, the search runs as the user of the process, who can read its environment and knows the token.
      const found = await searchProcesses(token ?? '');
      expect(process.getuid?.() === 0 ? found : found.filter((place) => place !== `${negato.pid}/environ`)).toEqual([]);
      await stop(negato);
      expect(negato.output.stderr).not.toContain(token);
    },
  );

  test('would be found in an argument list', async () => {
    const careless = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', TOKEN]);
    onTestFinished(() => void careless.kill());
    await expect.poll(() => searchProcesses(TOKEN)).toEqual([`${careless.pid}/cmdline`]);
  });

  test('is not handed on to the programs that are started', async () => {
    const opener = 'env > "$OPENER_LOG.part"; mv "$OPENER_LOG.part" "$OPENER_LOG"';
    const log = `${createTempFolder()}/environment`;
    const programs = await createPrograms({ 'xdg-open': opener });
    const env = { ...programs, DISPLAY: ':0', OPENER_LOG: log, NEGATO_TOKEN: TOKEN };
    const negato = await runNegato(['--token', writeImageFile()], { env });
    await negato.waitFor('stdout', /running at/);

    await expect.poll(() => readFile(log, 'utf8').catch(() => '')).toContain('DISPLAY=:0');

    expect(await readFile(log, 'utf8')).not.toContain(TOKEN);
  });
});

test(
  'at its normal level the log says nothing of a patient, nor what a file is called',
  { timeout: 180_000 },
  async () => {
    const folder = createTempFolder();
    const patient = {
      PatientName: 'Secretname^Sam',
      PatientID: 'SECRETID',
      StudyDescription: 'SECRETSTUDY',
      SeriesDescription: 'SECRETSERIES',
    };
    const whole = writeDicom(ctRow(patient));
    writeBelow(folder, 'secretfile-whole.dcm', whole);
    writeBelow(folder, 'secretfile-cut.dcm', whole.subarray(0, whole.length - 4));
    writeBelow(folder, 'secretfile-not-dicom.dcm', 'SECRETTEXT');
    // The frame is not JPEG 2000, so the decoder fails.
    writeBelow(
      folder,
      'secretfile-broken.dcm',
      writeDicom(ctRow({ ...patient, PixelData: { fragments: [Uint8Array.of(1, 2, 3, 4)] } }), {
        transferSyntaxUid: '1.2.840.10008.1.2.4.90',
      }),
    );
    const negato = await startNegato([folder]);
    await negato.waitFor('stdout', /scan_complete/);
    const { base_url: baseUrl } = negato.started;

    const statuses = new Set<number>();
    for (const index of [0, 1, 2, 3, 99]) {
      for (const path of [
        'info',
        'frame/0',
        'frame/0/raw',
        'frame/7',
        'tags',
        'tags/select?path=SECRETNAME',
        'nothing',
      ]) {
        const response = await fetch(`${baseUrl}/api/file/${index}/${path}`);
        statuses.add(response.status);
        await response.arrayBuffer();
      }
    }
    await stop(negato);

    // The responses were of all kinds, and none of them left patient data in the log.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404, 500]));
    expect(negato.output.stdout + negato.output.stderr).not.toMatch(/secret(name|id|study|series|text|file)/i);
  },
);
