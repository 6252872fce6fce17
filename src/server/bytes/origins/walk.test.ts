import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { asOrdinaryUser, createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { writeZip } from '../../../../test/support/writeArchive.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { readMediaDirectory } from '../../images/catalog/mediaDirectory.ts';
import { type Inputs, listInputs, localFile } from './origins.ts';

function walk(inputs: Inputs) {
  return listInputs({ ...inputs, readMediaDirectory });
}

/** Paths below `folder` in walk order; skipped paths with their reason. */
function walked(folder: string, options: { inputs?: readonly string[]; recursive?: boolean } = {}): string[] {
  const { inputs = [folder], recursive = true } = options;
  return Array.from(walk({ inputs, recursive }), (entry) => {
    const path = relative(folder, entry.path);
    return 'reason' in entry ? `${path}: ${entry.reason}` : path;
  });
}

test('entries are in natural order, with folders at the place of their names', () => {
  const folder = createTempFolder();
  for (const name of ['b10', 'b9/2', 'b9/10', 'a', 'b9/sub/x', 'c']) writeBelow(folder, name);

  expect(walked(folder)).toEqual(['a', 'b9/2', 'b9/10', 'b9/sub/x', 'b10', 'c']);
});

test('inputs come in the order given, and overlapping inputs give each file once', () => {
  const folder = createTempFolder();
  for (const name of ['a/1', 'a/2', 'b/1']) writeBelow(folder, name);
  const inputs = [join(folder, 'b/1'), join(folder, 'a/2'), folder, join(folder, 'a'), `${folder}/b/../b/1`];

  expect(walked(folder, { inputs })).toEqual(['b/1', 'a/2', 'a/1']);
});

test('without recursion only the files of the folder itself are found', () => {
  const folder = createTempFolder();
  for (const name of ['a', 'sub/b', 'sub/deeper/c']) writeBelow(folder, name);
  symlinkSync(join(folder, 'sub'), join(folder, 'linked'));

  expect(walked(folder, { recursive: false })).toEqual(['a']);
});

test('loops of linked folders end', () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a/file');
  symlinkSync(folder, join(folder, 'a/up'));
  symlinkSync(join(folder, 'a'), join(folder, 'b'));
  symlinkSync('self', join(folder, 'self'));

  expect(walked(folder)).toEqual(['a/file', 'self: directory_entry_unreadable']);
});

test('a file that links also lead to is found once, by the first path', () => {
  const folder = createTempFolder();
  writeBelow(folder, 'm');
  symlinkSync(join(folder, 'm'), join(folder, 'a-link'));
  symlinkSync(join(folder, 'm'), join(folder, 'z-link'));

  const entries = [...walk({ inputs: [folder], recursive: true })];

  expect(entries).toEqual([{ path: join(folder, 'a-link'), ref: localFile(join(folder, 'm')) }]);
});

test('files below a linked folder keep the path of the walk and know their real one', () => {
  const folder = createTempFolder();
  const elsewhere = createTempFolder();
  writeBelow(elsewhere, 'sub/file');
  symlinkSync(elsewhere, join(folder, 'link'));

  expect([...walk({ inputs: [folder], recursive: true })]).toEqual([
    { path: join(folder, 'link/sub/file'), ref: localFile(join(elsewhere, 'sub/file')) },
  ]);
});

test('hard links are files of their own', () => {
  const folder = createTempFolder();
  linkSync(writeBelow(folder, 'a'), join(folder, 'b'));

  expect(walked(folder)).toEqual(['a', 'b']);
});

test('a FIFO, a socket and a device are named and never opened', async () => {
  const folder = createTempFolder();
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  symlinkSync('/dev/zero', join(folder, 'zero'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
  onTestFinished(() => void server.close());

  // Opening the FIFO would wait for a writer, and this test would not end.
  expect(walked(folder)).toEqual(['fifo: not_dicom', 'socket: not_dicom', 'zero: not_dicom']);
  expect(walked(folder, { inputs: [join(folder, 'fifo')] })).toEqual(['fifo: not_dicom']);
});

test('an input that is not there, and a link that leads nowhere, are named', () => {
  const folder = createTempFolder();
  symlinkSync(join(folder, 'gone'), join(folder, 'broken'));

  expect(walked(folder, { inputs: [join(folder, 'missing'), folder] })).toEqual([
    'missing: input_path_unavailable',
    'broken: directory_entry_unreadable',
  ]);
});

test('a folder that may not be read is named', () => {
  const folder = createTempFolder();
  chmodSync(folder, 0o755);
  writeBelow(folder, 'closed/file');
  writeBelow(folder, 'open');
  chmodSync(join(folder, 'closed'), 0);
  onTestFinished(() => chmodSync(join(folder, 'closed'), 0o700));

  expect(asOrdinaryUser(() => walked(folder))).toEqual(['closed: directory_entry_unreadable', 'open']);
});

test('a folder that goes away during the walk is named', () => {
  const folder = createTempFolder();
  for (const name of ['a', 'b/file', 'c']) writeBelow(folder, name);
  const walking = walk({ inputs: [folder], recursive: true });
  walking.next();
  renameSync(join(folder, 'b'), createTempFolder());

  expect(Array.from(walking, (entry) => ('reason' in entry ? entry.reason : relative(folder, entry.path)))).toEqual([
    'directory_entry_unreadable',
    'c',
  ]);
});

test('a name that is no UTF-8 is reported and does not end the walk', () => {
  const folder = createTempFolder();
  // 0xFC is ü in Latin-1 and invalid in UTF-8.
  execFileSync('sh', ['-c', String.raw`: > "$1/$(printf 'a\374')" && : > "$1/b"`, 'sh', folder]);

  expect(walked(folder)).toEqual(['a\ufffd: directory_entry_unreadable', 'b']);
});

function writeDicomdir(folder: string, fileIds: readonly (readonly string[])[]): string {
  const bytes = writeDicom({
    '00020002': { vr: 'UI', value: '1.2.840.10008.1.3.10' },
    '00020003': { vr: 'UI', value: '1.2.3' },
    FileSetID: 'TEST',
    DirectoryRecordSequence: [
      { DirectoryRecordType: 'PATIENT' },
      ...fileIds.map((fileId) => ({
        ReferencedFileID: { vr: 'CS', value: new TextEncoder().encode(padded(fileId.join('\\'))) },
        DirectoryRecordType: 'IMAGE',
      })),
    ],
  });
  return writeBelow(folder, 'DICOMDIR', bytes);
}

function padded(text: string): string {
  return text.length % 2 === 0 ? text : `${text} `;
}

test('a DICOMDIR given by name opens the files that it refers to, in its order', () => {
  const folder = createTempFolder();
  for (const name of ['A/IM1', 'A/IM2', 'unlisted']) writeBelow(folder, name);
  const dicomdir = writeDicomdir(folder, [
    ['A', 'IM2'],
    ['A', 'IM1'],
    ['A', 'IM2'],
    ['A', 'IM3'],
  ]);

  expect(walked(folder, { inputs: [dicomdir] })).toEqual([
    'DICOMDIR: media_directory',
    'A/IM2',
    'A/IM1',
    'A/IM3: media_file_missing',
  ]);
});

test('a DICOMDIR given after its folder opens files below the depth that was searched', () => {
  const folder = createTempFolder();
  writeBelow(folder, 'A/IM1');
  const dicomdir = writeDicomdir(folder, [['A', 'IM1']]);

  expect(walked(folder, { inputs: [folder, dicomdir], recursive: false })).toEqual(['DICOMDIR', 'A/IM1']);
});

test('references match names that lost their upper case or kept their version', () => {
  const folder = createTempFolder();
  for (const name of ['a/im1', 'a/IM2.;1', 'a/IM3', 'a/im3']) writeBelow(folder, name);
  const dicomdir = writeDicomdir(folder, [
    ['A', 'IM1'],
    ['A', 'IM2'],
    ['A', 'IM3'],
  ]);

  expect(walked(folder, { inputs: [dicomdir] })).toEqual(['DICOMDIR: media_directory', 'a/im1', 'a/IM2.;1', 'a/IM3']);
});

test('a DICOMDIR opens nothing outside its own folder', () => {
  const outside = createTempFolder();
  const secret = writeBelow(outside, 'secret');
  const folder = join(outside, 'medium');
  mkdirSync(folder);
  symlinkSync(secret, join(folder, 'LINK'));
  symlinkSync(outside, join(folder, 'UP'));
  const dicomdir = writeDicomdir(folder, [['..', 'secret'], ['LINK'], ['UP', 'secret'], ['../secret'], [secret]]);

  const found = [...walk({ inputs: [dicomdir], recursive: true })];

  // Only the DICOMDIR itself may be opened, for its tags.
  expect(found.flatMap((entry) => ('ref' in entry ? [entry.path] : []))).toEqual([dicomdir]);
  expect(found.map((entry) => ('reason' in entry ? entry.reason : ''))).toEqual([
    'media_directory',
    'media_file_missing',
    'directory_entry_unreadable',
    'directory_entry_unreadable',
    'media_file_missing',
    'media_file_missing',
  ]);
});

test('a DICOMDIR that the walk meets is one file among others', () => {
  const folder = createTempFolder();
  writeBelow(folder, 'A/IM1');
  writeDicomdir(folder, [['A', 'IM1']]);

  expect(walked(folder)).toEqual(['A/IM1', 'DICOMDIR']);
});

test('in a folder with a DICOMDIR, the files that it names come first, the others still come, and missing ones are named', () => {
  const folder = createTempFolder();
  for (const name of ['first', 'cd/A/IM1', 'cd/A/IM2', 'cd/a note', 'cd/Z/IM9', 'last']) writeBelow(folder, name);
  const medium = writeDicomdir(join(folder, 'cd'), [
    ['Z', 'IM9'],
    ['A', 'IM2'],
    ['A', 'IM3'],
  ]);

  expect(walked(folder)).toEqual([
    'cd/Z/IM9',
    'cd/A/IM2',
    'cd/A/IM3: media_file_missing',
    'cd/A/IM1',
    'cd/DICOMDIR',
    'cd/a note',
    'first',
    'last',
  ]);

  writeFileSync(medium, readFileSync(medium).subarray(0, 400));
  const files = ['cd/A/IM1', 'cd/A/IM2', 'cd/Z/IM9', 'cd/a note', 'first', 'last'];
  expect(walked(folder)).toEqual(expect.arrayContaining(files));
});

test('a DICOMDIR in an archive orders its files as one in a folder does', () => {
  const folder = join(createTempFolder(), 'x.zip!');
  const names = ['first', 'cd/A/IM1', 'cd/A/im2', 'cd/Z/IM9'];
  for (const name of names) writeBelow(folder, name);
  const medium = writeDicomdir(join(folder, 'cd'), [
    ['Z', 'IM9'],
    ['A', 'IM2'],
    ['A', 'IM3'],
  ]);
  const files = names.map((name) => ({ name, bytes: new Uint8Array(0), isStored: true }));
  const zip = writeZip([...files, { name: 'cd/DICOMDIR', bytes: readFileSync(medium) }]);
  const path = writeBelow(dirname(folder), 'x.zip', zip);

  const inFolder = walked(folder);

  expect(inFolder).toContain('cd/A/IM3: media_file_missing');
  expect(walked(folder, { inputs: [path] })).toEqual(inFolder);
});
