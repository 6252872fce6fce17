import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { findNamedFile, nameFile } from './fileNames.ts';
import { findStack, libraryOf, stackOf } from './library.ts';
import { createPage } from './page.ts';

const FILES = [
  ['1.2.3', '/data/a/one.dcm'],
  ['1.2.4', '/data/a/two.dcm'],
  ['1.2.4', '/data/b/two.dcm'],
  ['1.2.4', '/data/b/three.dcm'],
  ['', '/data/c/four.dcm'],
  ['', '/data/c/five.dcm'],
  ['1.2.5', '/b/two.dcm'],
  ['1.2.5', '/a/b/two.dcm'],
  // Paths below the folder that was opened, the longer one first.
  ['1.2.6', 'b/a/two.dcm'],
  ['1.2.6', 'a/two.dcm'],
  // Members of an archive may have the same name.
  ['1.2.7', 'a.zip/one.dcm'],
  ['1.2.7', 'a.zip/one.dcm'],
  ['1.2.7', 'a.zip/one.dcm'],
].map(([sop_instance_uid = '', path = ''], index) => createFileRecord(index, { sop_instance_uid, path }));

const page = createPage();
libraryOf(page).setState({ files: FILES });

test('a file is named by its UID, and by the end of its path where others share it', () => {
  expect(FILES.map((file) => nameFile(page, file))).toEqual([
    '1.2.3',
    '1.2.4~a/two.dcm',
    '1.2.4~b/two.dcm',
    '1.2.4~three.dcm',
    '~four.dcm',
    '~five.dcm',
    // One path is a suffix of the other.
    '1.2.5~/b/two.dcm',
    '1.2.5~a/b/two.dcm',
    '1.2.6~b/a/two.dcm',
    '1.2.6~a/two.dcm',
    '1.2.7~a.zip/one.dcm',
    '1.2.7~a.zip/one.dcm~2',
    '1.2.7~a.zip/one.dcm~3',
  ]);
});

test('a name leads to its file and to no other', () => {
  expect(FILES.map((file) => findNamedFile(page, nameFile(page, file))?.index)).toEqual(
    FILES.map(({ index }) => index),
  );
  expect(findNamedFile(page, '1.2.4~other.dcm')).toBeUndefined();
  expect(findNamedFile(page, '1.2.9')).toBeUndefined();
});

test('a bare UID of several files is the first of them', () => {
  expect(findNamedFile(page, '1.2.4')?.index).toBe(1);
});

test('each copy is a stack of its own', () => {
  const ids = FILES.map((file) => stackOf(page, file).id);
  expect(new Set(ids).size).toBe(FILES.length);
  expect(ids.map((id) => findStack(page, id)?.fileIndex)).toEqual(FILES.map(({ index }) => index));
});
