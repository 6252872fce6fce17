import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
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

/** A DICOMDIR that names this many files that are not there. */
function writeDirectory(missing: number): Uint8Array {
  return writeDicom({
    MediaStorageSOPClassUID: '1.2.840.10008.1.3.10',
    FileSetID: 'CD',
    DirectoryRecordSequence: Array.from({ length: missing }, (_, number) => ({
      DirectoryRecordType: 'IMAGE',
      ReferencedFileID: ['A', `IM${number}`],
    })),
  });
}

test('all files that are not shown are listed in parts, and files that a DICOMDIR names in vain are counted', async () => {
  const folder = createTempFolder();
  for (let number = 0; number < 300; number += 1) writeBelow(folder, `${number}.txt`, 'no DICOM');
  writeBelow(folder, 'DICOMDIR', writeDirectory(334));
  const server = await serve(folder);
  const list = async (query: string) => (await server.request(`/api/not-shown?${query}`)).json();

  const all = await list('');
  expect(all).toMatchObject({ total: 301, missing: 334, unlisted: 0, scan_complete: true });
  expect(all.entries).toHaveLength(301);
  const parts = await Promise.all([0, 100, 200, 300].map((offset) => list(`offset=${offset}&limit=100`)));
  expect(parts.flatMap(({ entries }) => entries)).toEqual(all.entries);
  const paths = all.entries.map(({ path }: { path: string }) => path.slice(folder.length + 1));
  const texts = Array.from({ length: 300 }, (_, number) => `${number}.txt`);
  expect(paths.toSorted()).toEqual([...texts, 'DICOMDIR'].toSorted());
  const directory = await list('reason=media_directory');
  expect(directory).toMatchObject({ total: 1, entries: [{ path: `${folder}/DICOMDIR`, has_tags: true }] });
  expect((await server.request(`/api/not-shown/${directory.entries[0].id}/tags`)).status).toBe(200);
  expect((await server.request('/api/not-shown?reason=bored')).status).toBe(400);
});

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
