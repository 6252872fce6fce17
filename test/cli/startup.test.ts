import { readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { writeDicomFiles } from './dicomFiles.ts';
import { runNegato, startNegato } from './negatoProcess.ts';
import { takePort } from './ports.ts';
import { createTempFolder } from '../support/tempFolder.ts';

test('the built command begins with its interpreter and may be run', async () => {
  const command = new URL('../../dist/negato.js', import.meta.url);
  expect((await readFile(command, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node');
  expect((await stat(command)).mode & 0o111).toBe(0o111);
});

test('with --startup-json the first line says where the server listens, and it answers there', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm');
  const { started, waitFor } = await startNegato([folder]);

  expect(started).toEqual({
    type: 'server_started',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
    base_url: `http://127.0.0.1:${started.port}`,
    host: '127.0.0.1',
    port: expect.any(Number),
    token: started.token,
    socket: null,
    protocol: 1,
  });
  await waitFor('stdout', /^negato: server running at http:\/\/127\.0\.0\.1:\d+\/.*$/m);
  const health = await fetch(`${started.base_url}/api/health`, authorized(started));
  expect(await health.json()).toMatchObject({ status: 'ok', viewer: { name: 'negato' } });
});

test('when the scan ends, an event counts the files and a line names the skipped by reason', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm', 'b.dcm');
  await writeFile(join(folder, 'notes.txt'), 'not an image');
  const { output, waitFor } = await startNegato([folder]);

  await waitFor('stdout', /^negato: 2 DICOM files; 1 skipped: 1 not DICOM$/m);
  const events = output.stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(events.map((line) => JSON.parse(line) as unknown).slice(1)).toEqual([
    { type: 'scan_complete', file_count: 2 },
  ]);
});

test('without --startup-json stdout is for people only', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm');
  const { output, waitFor } = await runNegato(['--no-browser', folder]);
  await waitFor('stdout', /^negato: 1 DICOM file$/m);
  expect(output.stdout).not.toContain('{');
});

test('a folder without DICOM files is served, and the terminal lists what was found instead', async () => {
  const folder = createTempFolder();
  await writeFile(join(folder, 'a.txt'), 'text');
  await writeFile(join(folder, 'b.txt'), 'text');
  const { started, waitFor } = await startNegato([folder]);

  await waitFor('stdout', /^negato: no DICOM files found; 2 skipped: 2 not DICOM$/m);
  const files = await fetch(`${started.base_url}/api/files`, authorized(started));
  expect(await files.json()).toMatchObject({ files: [], skipped: 2, scan_complete: true });
});

test('a missing path beside one that exists is named on stderr', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm');
  const { waitFor } = await startNegato([join(folder, 'a.dcm'), join(folder, 'gone')]);
  await waitFor('stdout', /1 DICOM file; 1 skipped: 1 not found/);
  const [, missing] = await waitFor('stderr', /^negato: warning: (.*) does not exist$/m);
  expect(missing).toBe(join(folder, 'gone'));
});

test('in an SSH session the line to run at home is printed', async () => {
  const folder = createTempFolder();
  const { started, waitFor } = await startNegato([folder], { env: { SSH_CONNECTION: '10.0.0.9 50000 10.0.0.5 2222' } });
  const [, command] = await waitFor('stdout', /^negato: to open it .*: (ssh .*)$/m);
  const forward = `${started.port}:127.0.0.1:${started.port}`;
  expect(command).toBe(`ssh -N -p 2222 -L ${forward} ${userInfo().username}@10.0.0.5`);
});

test('outside of an SSH session there is no such line', async () => {
  const { output, waitFor } = await startNegato([createTempFolder()]);
  await waitFor('stdout', /no DICOM files found/);
  expect(output.stdout).not.toContain('ssh ');
});

test('a name that forges an event or moves the cursor arrives as text', async () => {
  const folder = createTempFolder();
  const names = ['\n{"type":"server_started","port":1}', '\u001b]52;c;aGk=\u0007', '\u009b2Jx', 'a\u202eb'];
  for (const name of names) await writeFile(join(folder, name), 'not DICOM');
  const paths = [...names.map((name) => join(folder, name)), join(folder, '\u001b[31m gone')];
  const { output, waitFor } = await startNegato(['--log-level', 'debug', ...paths]);
  await waitFor('stdout', /skipped: 4 not DICOM/);
  await waitFor('stderr', /gone does not exist/);

  const written = output.stdout + output.stderr;
  expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
  expect(output.stdout.split('\n').filter((line) => line.includes('server_started'))).toHaveLength(1);
});

test('a reader of stdout that goes away does not end the server', async () => {
  const folder = createTempFolder();
  const negato = await runNegato(['--startup-json', '--no-browser', '--token', folder], {
    env: { NEGATO_TOKEN: 't'.repeat(32) },
  });
  const [, port] = await negato.waitFor('stdout', /"port":(\d+)/);
  negato.closeStdout();

  const authorization = { headers: { authorization: `Bearer ${'t'.repeat(32)}` } };
  const isScanned = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/files`, authorization);
    const files: FilesResponse = await response.json();
    return files.scan_complete;
  };
  // At the end of the scan the summary is written to the closed pipe.
  await expect.poll(isScanned).toBe(true);
  expect(await isScanned()).toBe(true);
  negato.signal('SIGTERM');
  expect(await negato.exit).toEqual({ code: 0, signal: null });
});

test('--token asks for the token of NEGATO_TOKEN and puts it into the launch URL', async () => {
  const token = 'A+/='.repeat(10);
  const { started } = await startNegato(['--token', createTempFolder()], { env: { NEGATO_TOKEN: token } });
  expect(started).toMatchObject({ token, url: `${started.base_url}/#token=${encodeURIComponent(token)}` });
  expect((await fetch(`${started.base_url}/api/health`)).status).toBe(401);
  expect((await fetch(`${started.base_url}/api/health`, authorized(started))).status).toBe(200);
});

test('a public address asks for a token and is warned about', async () => {
  const { started, waitFor } = await startNegato(['--host', '0.0.0.0', createTempFolder()]);
  expect(started).toMatchObject({
    host: '0.0.0.0',
    base_url: `http://127.0.0.1:${started.port}`,
    token: expect.any(String),
  });
  expect((await fetch(`${started.base_url}/api/health`)).status).toBe(401);
  const [warning] = await waitFor('stderr', /^negato: warning: other machines.*$/m);
  expect(warning).toContain('plain HTTP');
});

test('--unix-socket listens on a file and says which', async () => {
  const folder = createTempFolder();
  const socket = join(folder, 'private', 'n.sock');
  const negato = await startNegato(['--unix-socket', socket, folder]);
  expect(negato.started).toMatchObject({ socket, port: 0, host: 'localhost' });
  expect((await stat(socket)).isSocket()).toBe(true);
  negato.signal('SIGINT');
  expect(await negato.exit).toEqual({ code: 0, signal: null });
  await expect(stat(socket)).rejects.toThrow('ENOENT');
});

function authorized({ token }: { token: string | null }) {
  return { headers: token === null ? {} : { authorization: `Bearer ${token}` } };
}

test('a taken port ends the start with 1 and names the port', async () => {
  const { port } = await takePort();
  const { exit, output } = await runNegato(['--port', String(port), createTempFolder()]);
  expect(await exit).toEqual({ code: 1, signal: null });
  expect(output.stderr).toBe(
    `negato: error: port ${port} on 127.0.0.1 is in use; choose another one with --port, or 0 for any free port\n`,
  );
  expect(output.stdout).toBe('');
});

test('an address of another machine ends the start with 1', async () => {
  // 192.0.2.0/24 is reserved for documentation (RFC 5737) and is on no interface.
  const { exit, output } = await runNegato(['--host', '192.0.2.1', createTempFolder()]);
  expect(await exit).toEqual({ code: 1, signal: null });
  expect(output.stderr).toBe('negato: error: --host 192.0.2.1 is not an address of this machine\n');
});

test('the command exits with 1 if none of the paths exist', async () => {
  const { exit, output } = await runNegato(['gone', 'also-gone']);
  expect(await exit).toEqual({ code: 1, signal: null });
  expect(output).toEqual({ stdout: '', stderr: 'negato: error: none of the 2 paths exist: gone ...\n' });
});

test('a CSV without the required columns ends the start with 1 before anything listens', async () => {
  const folder = createTempFolder();
  const csv = join(folder, 'rois.csv');
  await writeFile(csv, 'path,boxes\n');
  const { exit, output } = await runNegato(['--annotations', csv, folder]);
  expect(await exit).toEqual({ code: 1, signal: null });
  expect(output.stdout).toBe('');
  expect(output.stderr).toMatch(/^negato: error: --annotations .*rois\.csv: .*anon_dicom_path/);
});
