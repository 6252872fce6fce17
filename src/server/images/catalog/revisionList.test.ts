import { expect, test } from 'vitest';
import { createRevisionList } from './revisionList.ts';

function createFiles(count: number) {
  return Array.from({ length: count }, (_, index): { readonly index: number; revised: number | undefined } => ({
    index,
    revised: undefined,
  }));
}

test('as long as no file is read later, the revisions are the positions in the list', () => {
  const files = createFiles(3);
  const revisions = createRevisionList(files);
  for (const file of files) revisions.add(file);
  expect(revisions.length).toBe(3);
  expect(revisions.slice(1, 3)).toEqual([files[1], files[2]]);
  expect(revisions.readLater).toEqual([]);
});

test('a file that is read later gets a revision after those that were listed, and is sent once', () => {
  const files = createFiles(3);
  const revisions = createRevisionList(files);
  for (const file of files) revisions.add(file);
  revisions.addRead(files[1]!);
  revisions.addRead(files[0]!);
  revisions.addRead(files[1]!);
  expect(revisions.length).toBe(6);
  // In the order of the list.
  expect(revisions.slice(3, 6)).toEqual([files[0], files[1]]);
  expect(files.map(({ revised }) => revised)).toEqual([5, 6, undefined]);
  expect(revisions.readLater).toEqual([1, 0, 1]);
});
