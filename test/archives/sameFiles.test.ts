import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { type TestServer, serve, serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { type ArchivedFile, writeTar, writeZip } from '../support/writeArchive.ts';

/** Names that the natural order, the order of an archive and the order of code units arrange differently. */
function createFiles(): ArchivedFile[] {
  const names = [
    'IM10',
    'IM2',
    'b/IM1',
    'B/IM1',
    'a.1/x',
    'a/z',
    'a/deep/er/IM1',
    'größe/ü',
    `long/${'n'.repeat(120)}`,
  ];
  const slices = names.map((name, number) => ({ name, bytes: writeSlice({ number }) }));
  return [
    ...slices,
    // Deflated, it is too long to be inflated in memory.
    { name: 'large', bytes: writeLarge() },
    { name: 'notes.txt', bytes: Buffer.from('no image '.repeat(200)) },
    { name: 'cut short', bytes: writeSlice({ number: 30 }).subarray(0, 900) },
    { name: 'empty', bytes: new Uint8Array(0) },
  ];
}

/** Five frames of 1000 x 1000, with noise that does not compress; together they are longer than 4 MiB. */
function writeLarge(): Uint8Array {
  const samples = new Uint8Array(1_000_000);
  let state = 1;
  for (let i = 0; i < samples.length; i += 1) {
    state = (state * 75) % 65_537;
    samples[i] = state;
  }
  const frame = encodeRle(samples, 1, 1);
  const frames = Array.from({ length: 5 }, () => frame);
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.2',
      SOPInstanceUID: '2.25.77',
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: 1000,
      Columns: 1000,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      NumberOfFrames: '5',
      PixelData: { fragments: frames, offsetTable: 'none' },
    },
    { transferSyntaxUid: '1.2.840.10008.1.2.5' },
  );
}

function writeFolder(files: readonly ArchivedFile[]): string {
  const folder = join(createTempFolder(), 'root');
  mkdirSync(folder);
  for (const { name, bytes } of files) writeBelow(folder, name, bytes);
  return folder;
}

/** Everything about all files, without the place of the root: records, refusals, tags, stored bytes, frames. */
async function readAll(server: TestServer, root: string) {
  const list = await (await server.request('/api/files')).text();
  const read: {
    files: { frame_count: number; has_pixels: boolean }[];
    discovery: object[];
    not_shown: object;
  } = JSON.parse(list.replaceAll(`${root}/`, ''));
  const { files, discovery, not_shown } = read;
  const answers: string[] = [];
  for (const [index, { frame_count }] of files.entries()) {
    const addresses = ['tags', 'info', 'file'];
    // The last frame of the large file is beyond what is inflated in memory.
    if (frame_count > 0) addresses.push(`frame/${frame_count - 1}/raw`);
    if (frame_count === 1) addresses.push('frame/0');
    for (const address of addresses) {
      const response = await server.request(`/api/file/${index}/${address}`);
      const hash = createHash('sha256')
        .update(new Uint8Array(await response.arrayBuffer()))
        .digest('hex');
      answers.push(`${index} ${address} ${response.status} ${hash}`);
    }
  }
  return { files, discovery, not_shown, answers };
}

test('the same files in a folder and in archives give the same records, tags, frames and bytes, file by file', async () => {
  const files = createFiles();
  const folder = writeFolder(files);
  const expected = await readAll(await serve(folder), folder);
  expect(expected.files).toHaveLength(11);
  expect(expected.answers.filter((answer) => !answer.includes(' 200 '))).toEqual([]);

  const inZip = files.map((file, at) => ({ ...file, isStored: at % 2 === 0 && file.name !== 'large' }));
  const archives = {
    'deflated.zip': writeZip(files),
    'mixed.zip': writeZip(inZip, { comment: 'a comment', before: Buffer.from('#!/bin/sh\n') }),
    '64.zip': writeZip(inZip, { isZip64: true }),
    'plain.tar': writeTar(files),
    'packed.tar.gz': gzipSync(writeTar(files), { level: 1 }),
  };
  for (const [name, bytes] of Object.entries(archives)) {
    const path = join(createTempFolder(), name);
    writeFileSync(path, bytes);
    const found = await readAll(await serve(path), `${path}!`);
    expect({ name, ...found }).toEqual({ name, ...expected });
  }
});

test('an archive in a folder is opened at its place in the order, and one in an archive too, but none in that', async () => {
  const folder = createTempFolder();
  const inner = writeZip([
    { name: 'x', bytes: writeSlice({ number: 2 }) },
    { name: 'third.tar', bytes: writeTar([]) },
  ]);
  writeBelow(folder, 'a', writeSlice({ number: 0 }));
  const tar = writeTar([
    { name: 'y', bytes: writeSlice({ number: 1 }) },
    { name: 'z.zip', bytes: inner },
  ]);
  writeBelow(folder, 'b.tgz', gzipSync(tar));
  writeBelow(folder, 'c.dcm.gz', gzipSync(writeSlice({ number: 3 })));
  writeBelow(folder, 'd', writeSlice({ number: 4 }));

  const { catalog } = await serve(folder);

  expect(catalog.files.map(({ path }) => path.slice(folder.length))).toEqual([
    '/a',
    '/b.tgz!/y',
    '/b.tgz!/z.zip!/x',
    '/c.dcm.gz!/c.dcm',
    '/d',
  ]);
  expect(catalog.snapshot().discovery).toMatchObject([
    { path: `${folder}/b.tgz!/z.zip!/third.tar`, reason: 'archive_limit' },
  ]);
});

test('archives in folders stay closed if the user wants that, but a named archive is opened', async () => {
  const folder = createTempFolder();
  const path = writeBelow(folder, 'a.zip', writeZip([{ name: 'x', bytes: writeSlice({ number: 0 }) }]));

  const closed = await serveWith({ inputs: [folder], catalog: { archives: false } });
  const named = await serveWith({ inputs: [path], catalog: { archives: false } });

  expect(closed.catalog.files).toHaveLength(0);
  expect(closed.catalog.snapshot().discovery).toMatchObject([{ path, reason: 'not_dicom' }]);
  expect(named.catalog.files.map((file) => file.path)).toEqual([`${path}!/x`]);
});

test('an archive that is replaced or written to is gone, as a file is', async () => {
  const path = writeBelow(createTempFolder(), 'a.zip', writeZip([{ name: 'x', bytes: writeSlice({ number: 0 }) }]));
  const server = await serve(path);
  expect((await server.request('/api/file/0/frame/0')).status).toBe(200);

  writeFileSync(path, writeZip([{ name: 'x', bytes: writeSlice({ number: 1 }) }]));

  for (const address of ['tags', 'frame/0', 'file']) {
    const response = await server.request(`/api/file/0/${address}`);
    expect([address, response.status, await response.json()]).toMatchObject([address, 404, { code: 'file_gone' }]);
  }
});
