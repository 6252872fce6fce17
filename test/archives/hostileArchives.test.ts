import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { ArchiveProblem } from '../../src/server/bytes/origins/archives/archiveProblem.ts';
import { listTar } from '../../src/server/bytes/origins/archives/tarMembers.ts';
import { listZip } from '../../src/server/bytes/origins/archives/zipMembers.ts';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { paxRecord, tarEntry, writeTar, writeZip } from '../support/writeArchive.ts';

const GOOD = { name: 'good', bytes: writeSlice({ number: 0 }) };
const ZEROS = new Uint8Array(8 * 2 ** 20);

/** The first file takes its header and its bytes, in blocks of 512. */
function damageSecondHeader(tar: Uint8Array): Uint8Array {
  const at = 512 + Math.ceil(GOOD.bytes.length / 512) * 512;
  return tar.fill(7, at, at + 512);
}

/** What is shown of an archive, and what is not and why; the first part of each path is the archive. */
async function openArchive(name: string, bytes: Uint8Array) {
  const path = writeBelow(createTempFolder(), name, bytes);
  const server = await serve(path);
  const { files, discovery } = server.catalog.snapshot();
  expect(server.errors).toEqual([]);
  return {
    server,
    shown: files.map((file) => file.path.slice(path.length)),
    refused: Object.fromEntries(discovery.map((entry) => [entry.path.slice(path.length), entry.reason])),
  };
}

test('every entry of a hostile zip is shown or has a reason, and the others are not disturbed', async () => {
  const slice = writeSlice({ number: 1 });
  const bytes = writeZip([
    { name: '../../etc/outside', bytes: slice },
    { name: '/absolute', bytes: slice },
    { name: 'C:\\windows', bytes: slice },
    { name: 'nul\0name', bytes: slice },
    { name: 'secret', bytes: slice, flags: 0x0801 },
    { name: 'bzip2', bytes: slice, method: 12 },
    { name: 'link', bytes: Buffer.from('/etc/passwd'), isStored: true, mode: 0o120777 },
    { name: 'folder/', bytes: new Uint8Array(0), isStored: true },
    { name: 'another name before the bytes', bytes: slice, localName: 'x' },
    { name: 'longer than it says', bytes: slice, declared: { size: slice.length - 2 } },
    { name: 'shorter than it says', bytes: slice, declared: { size: slice.length + 2 } },
    { name: 'stored, but longer', bytes: slice, isStored: true, declared: { size: slice.length + 2 } },
    { name: 'another checksum', bytes: slice, declared: { crc: 1 } },
    { name: 'expands too much', bytes: slice, declared: { size: 2 ** 31 } },
    { name: 'huge', bytes: slice, declared: { size: 0xfffffffe, packed: 2 ** 30 } },
    { name: 'beyond the end', bytes: slice, declared: { at: 2 ** 31 } },
    {
      name: 'into the next',
      bytes: slice,
      isStored: true,
      declared: { size: slice.length + 99, packed: slice.length + 99 },
    },
    GOOD,
    { name: 'same name', bytes: slice },
    { name: 'same name', bytes: slice },
  ]);

  const { shown, refused } = await openArchive('hostile.zip', bytes);

  expect(shown.toSorted()).toEqual(
    [
      '!/../../etc/outside',
      '!//absolute',
      '!/C:/windows',
      '!/good',
      '!/nul\ufffdname',
      '!/same name',
      '!/same name',
    ].toSorted(),
  );
  expect(refused).toEqual({
    '!/secret': 'archive_encrypted',
    '!/bzip2': 'archive_unsupported',
    '!/link': 'directory_entry_unreadable',
    '!/another name before the bytes': 'archive_damaged',
    '!/longer than it says': 'archive_damaged',
    '!/shorter than it says': 'archive_damaged',
    '!/stored, but longer': 'archive_damaged',
    '!/another checksum': 'archive_damaged',
    '!/expands too much': 'archive_limit',
    '!/huge': 'archive_damaged',
    '!/beyond the end': 'archive_damaged',
    '!/into the next': 'archive_damaged',
  });
});

test('entries that share their bytes are refused, so that a small archive does not become huge', async () => {
  const files = Array.from({ length: 50 }, (_, i) => ({
    ...GOOD,
    name: `f${i}`,
    declared: { at: 0 },
    localName: 'f0',
  }));

  const { shown, refused } = await openArchive('overlapping.zip', writeZip(files));

  expect(shown).toEqual([]);
  expect(Object.values(refused)).toEqual(files.map(() => 'archive_damaged'));
});

test.each([
  ['cut.zip', writeZip([GOOD]).subarray(0, 600), { '': 'archive_damaged' }],
  ['split.zip', writeZip([GOOD], { disk: 1 }), { '': 'archive_unsupported' }],
  ['count.zip', writeZip([GOOD], { count: 3 }), { '': 'archive_damaged' }],
  ['cut.tar', writeTar([GOOD]).subarray(0, 1000), { '!/good': 'archive_damaged' }],
  ['cut.tar.gz', gzipSync(writeTar([GOOD])).subarray(0, 300), { '': 'archive_damaged' }],
  ['checksum.tar', damageSecondHeader(writeTar([GOOD, GOOD])), { '': 'archive_damaged' }],
  ['size.tar', writeTar([{ ...GOOD, size: 2 ** 32 }]), { '!/good': 'archive_damaged' }],
  ['bomb.tar.gz', gzipSync(new Uint8Array(80 * 2 ** 20)), { '': 'archive_limit' }],
  ['a.7z', Buffer.from('377abcaf271c00040000', 'hex'), { '': 'archive_unsupported' }],
])('%s: what cannot be opened is listed with its reason', async (name, bytes, expected) => {
  expect((await openArchive(name, bytes)).refused).toEqual(expected);
});

test('links, devices and sparse files of a tar are listed; a second name of a file has its bytes', async () => {
  const none = new Uint8Array(0);
  const bytes = Buffer.concat([
    ...tarEntry(GOOD),
    ...tarEntry({ name: 'hard', bytes: none, type: '1', link: 'good' }),
    ...tarEntry({ name: 'hard, to nothing', bytes: none, type: '1', link: '/etc/passwd' }),
    ...tarEntry({ name: 'soft', bytes: none, type: '2', link: '/etc/passwd' }),
    ...tarEntry({ name: 'device', bytes: none, type: '3' }),
    ...tarEntry({ name: 'sparse', bytes: GOOD.bytes, type: 'S' }),
    ...tarEntry({ name: 'x', bytes: paxRecord('GNU.sparse.size', '9999999999'), type: 'x' }),
    ...tarEntry({ name: 'sparse of POSIX', bytes: GOOD.bytes }),
    ...tarEntry({ name: '././@LongLink', bytes: Buffer.from(`${'long'.repeat(40)}\0`), type: 'L' }),
    ...tarEntry({ name: 'longlong', bytes: GOOD.bytes }),
    Buffer.alloc(1024),
  ]);

  const { shown, refused } = await openArchive('links.tar', bytes);

  expect(shown).toEqual(['!/good', '!/hard', `!/${'long'.repeat(40)}`]);
  expect(refused).toEqual({
    '!/hard, to nothing': 'directory_entry_unreadable',
    '!/soft': 'directory_entry_unreadable',
    '!/device': 'not_dicom',
    '!/sparse': 'archive_unsupported',
    '!/sparse of POSIX': 'archive_unsupported',
  });
});

test('a file whose end is damaged is listed by its header, and its frames are refused with a clear error', async () => {
  const large = writeSlice({ number: 3 }, { PixelData: new Uint8Array(5 * 2 ** 20), Rows: 2048, Columns: 1280 });
  const zip = writeZip([{ name: 'large', bytes: large, declared: { crc: 1 } }]);

  const { server, shown } = await openArchive('end.zip', zip);

  expect(shown).toEqual(['!/large']);
  for (const address of ['frame/0', 'frame/0/raw']) {
    const response = await server.request(`/api/file/0/${address}`);
    expect(await response.json()).toMatchObject({
      code: 'file_read_failed',
      error: expect.stringContaining('archive'),
    });
  }
});

test('whatever bytes of an archive change, listing ends, with entries or with a known problem', () => {
  const archives = [
    { list: listZip, bytes: writeZip([GOOD, { name: 'b/c', bytes: ZEROS.subarray(0, 5000) }], { isZip64: true }) },
    { list: listZip, bytes: writeZip([GOOD, { name: 'b/c', bytes: ZEROS.subarray(0, 5000) }]) },
    { list: listTar, bytes: writeTar([GOOD, { name: 'n'.repeat(150), bytes: ZEROS.subarray(0, 5000) }]) },
  ];
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 })));
  fc.assert(
    fc.property(fc.constantFrom(...archives), changes, fc.boolean(), ({ list, bytes }, edits, atEnd) => {
      const changed = Uint8Array.from(bytes);
      // Most of a zip that matters is in its last bytes.
      const [from, length] = atEnd ? [changed.length - 300, 300] : [0, changed.length];
      for (const [place, value] of edits) changed[from + Math.floor(place * (length - 1))] = value;
      try {
        for (const member of list(bufferSource(changed))) {
          if (!('at' in member)) continue;
          expect(member.size >= 0 && member.packed >= 0).toBe(true);
        }
      } catch (error) {
        if (!(error instanceof ArchiveProblem)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});
