import { mkdtempSync, rmSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve } from '../support/serve.ts';

function writeFile(name: string, bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'negato-stored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

let plain: Uint8Array;

beforeAll(() => {
  // HTML in the preamble, in case a client renders the file.
  plain = writeDicom(ctElements());
  plain.set(new TextEncoder().encode('<script>alert(1)</script>'));
});

test('a file is sent as it is stored, to be saved and never shown', async () => {
  const server = await serve(writeFile('page.html', plain));
  const answer = await server.request('/api/file/0/file');

  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/dicom',
    'content-disposition': 'attachment; filename="page.html.dcm"',
    'content-length': String(plain.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(plain)).toBe(true);

  const head = await server.request('/api/file/0/file', { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(plain.length));
});

test('an interrupted download can be resumed', async () => {
  const server = await serve(writeFile('a.dcm', plain));
  const rest = await server.request('/api/file/0/file', { headers: { Range: 'bytes=100-' } });

  expect(rest.status).toBe(206);
  expect(rest.headers.get('content-range')).toBe(`bytes 100-${plain.length - 1}/${plain.length}`);
  expect(Buffer.from(await rest.arrayBuffer()).equals(plain.subarray(100))).toBe(true);

  const beyond = await server.request('/api/file/0/file', { headers: { Range: `bytes=${plain.length}-` } });
  expect([beyond.status, (await beyond.arrayBuffer()).byteLength]).toEqual([200, plain.length]);
});

test('a file that was replaced is not sent', async () => {
  const path = writeFile('a.dcm', plain);
  const server = await serve(path);
  const ask = async () => {
    const answer = await server.request('/api/file/0/file');
    const { code }: { code: string } = await answer.json();
    return [answer.status, code];
  };

  utimesSync(path, 1, 1);
  expect(await ask()).toEqual([404, 'file_gone']);
  unlinkSync(path);
  expect(await ask()).toEqual([404, 'file_gone']);
  symlinkSync('/etc/passwd', path);
  expect(await ask()).toEqual([404, 'file_gone']);
});

test('if a file changes while it is sent, the response ends before its declared length', async () => {
  // More than the socket buffers hold, so that the server is still reading.
  const long = new Uint8Array(64 * 2 ** 20);
  long.set(plain);
  const path = writeFile('long.dcm', long);
  const server = await serve(path);
  const answer = await server.request('/api/file/0/file');
  const reader = answer.body!.getReader();
  await reader.read();
  truncateSync(path, 2 ** 20);

  const readAll = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readAll()).rejects.toThrow(/terminated|aborted|other side closed|ECONNRESET/);
});
