import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { serve, serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

function writeReport(number: number): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: `1.2.826.0.1.3680043.10.5.${number}`,
    PatientName: 'Müller^Zoë',
    SpecificCharacterSet: 'ISO_IR 192',
  });
}

/** A folder with this many reports and one text file. */
function writeFolder(reports: number): string {
  const folder = createTempFolder();
  for (let i = 0; i < reports; i++) writeBelow(folder, `${i}.dcm`, writeReport(i));
  writeBelow(folder, 'notes.txt', 'no DICOM');
  return folder;
}

test('all files are listed by index, with those not shown and the reasons', async () => {
  const folder = writeFolder(300);
  const server = await serve(folder);

  const body = await (await server.request('/api/files')).json();

  expect(body.files.map((file: { index: number }) => file.index)).toEqual(Array.from({ length: 300 }, (_, i) => i));
  expect(body.files[0]).toMatchObject({ path: `${folder}/0.dcm`, patient_name: 'Müller^Zoë' });
  expect(body).toMatchObject({
    discovery: [{ path: `${folder}/notes.txt`, disposition: 'skipped', reason: 'not_dicom' }],
    scanned: 300,
    skipped: 1,
    filtered: 0,
    not_shown: { not_dicom: 1 },
    revision: 300,
    more: false,
    reset: false,
    scan_complete: true,
    tunnelled: false,
    tunnel_host: null,
    annotations: { import_state: 'none', error: null },
  });
});

test('consecutive pages have every file once', async () => {
  const server = await serve(writeFolder(25));

  const indices: number[] = [];
  for (let since = 0, more = true; more;) {
    const page = await (await server.request(`/api/files?since=${since}&limit=10`)).json();
    indices.push(...page.files.map((file: { index: number }) => file.index));
    ({ revision: since, more } = page);
  }

  expect(indices).toEqual(Array.from({ length: 25 }, (_, i) => i));
});

test('a revision of another run starts again from the first file', async () => {
  const server = await serve(writeFolder(3));

  const body = await (await server.request('/api/files?since=99')).json();

  expect(body).toMatchObject({ reset: true, revision: 3 });
  expect(body.files).toHaveLength(3);
});

test('the list is compressed for clients that accept it', async () => {
  const server = await serve(writeFolder(300));
  const ask = (encoding: string) =>
    sendRaw(server, `GET /api/files HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\n\r\n`);

  const compressed = await ask('gzip, br');
  const plain = await ask('gzip;q=0');

  expect(compressed?.headers.get('content-encoding')).toBe('gzip');
  expect(plain?.headers.has('content-encoding')).toBe(false);
  const text = gunzipSync(Buffer.from(compressed?.body ?? '', 'latin1'));
  expect(text.equals(Buffer.from(plain?.body ?? '', 'latin1'))).toBe(true);
  expect(compressed?.body.length).toBeLessThan((plain?.body.length ?? 0) / 10);
});

test('the tunnel is listed only while it is open', async () => {
  let host: string | undefined = 'gateway.example';
  const server = await serveWith({ scans: false, domains: { tunnelHost: () => host } });

  const open = await (await server.request('/api/files')).json();
  host = undefined;
  const closed = await (await server.request('/api/files')).json();

  expect(open).toMatchObject({ tunnelled: true, tunnel_host: 'gateway.example' });
  expect(closed).toMatchObject({ tunnelled: false, tunnel_host: null });
});

test('a long list is written in pieces, with turns for other requests in between', async () => {
  const server = await serve(writeFolder(1));
  const [file] = server.catalog.files;
  if (file === undefined) throw new Error('the file was not found');
  // The records of 20,000 files, without writing that many files.
  const many = Array.from({ length: 20_000 }, () => file);
  const snapshot = { ...server.catalog.snapshot(), files: many };
  server.catalog.snapshot = () => snapshot;
  let turns = 0;
  const counter = setInterval(() => turns++, 0);

  const response = await server.request('/api/files', { headers: { 'Accept-Encoding': 'identity' } });
  const body = await response.json();
  clearInterval(counter);

  expect(body.files).toHaveLength(20_000);
  // 157 slices of 128 records. A timer that is due runs between any two slices.
  expect(turns).toBeGreaterThan(15);
});
