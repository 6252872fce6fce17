import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import { type DeclaredReference, packReferences } from './declaredReferences.ts';
import { listOpenFiles } from './listOpenFiles.ts';

const COPIES = 1_000;
const files = Array.from({ length: COPIES }, (_, index) => ({ ...createFileDescription(), index, revision: 1 }));
const indices = files.map(({ index }) => index);

/** Instance 2.25.1 has all copies but the last, series 2.25.9 has all. Counts the lookups. */
function createIndex() {
  const looked: string[] = [];
  const find = (found: readonly number[]) => (uid: string) => {
    looked.push(uid);
    return found;
  };
  return {
    looked,
    files,
    instances: { find: find(indices.slice(0, -1)), findSeries: find(indices), valueMappings: [], pointing: [] },
  };
}

function reference(different: Partial<DeclaredReference>): DeclaredReference {
  return {
    relationship: 'source_image',
    sopClassUid: undefined,
    sopInstanceUid: '2.25.1',
    seriesInstanceUid: '2.25.9',
    frameNumbers: [],
    segmentNumbers: [],
    ...different,
  };
}

test('an instance that is named 20,000 times, of which 1,000 copies are open, is looked up once', () => {
  const catalog = createIndex();
  const declared = packReferences(
    Array.from({ length: 20_000 }, () => reference({})),
    false,
  );
  const steps = [...listOpenFiles(declared, undefined, catalog)];
  // One step for each copy, and one for each reference after the first: not their product.
  expect(steps.length).toBe(COPIES - 1 + 19_999);
  expect(steps.flatMap((file) => file ?? [])).toEqual(files.slice(0, -1));
  expect(catalog.looked).toEqual(['2.25.1']);
});

test('a file that is named as an instance and as part of its series is listed once, in the order of the names', () => {
  const named = [
    reference({}),
    reference({ relationship: 'unknown', sopInstanceUid: '2.25.77' }),
    reference({ sopInstanceUid: undefined }),
  ];
  const found = [...listOpenFiles(packReferences(named, false), 'source_image', createIndex())].flatMap(
    (file) => file ?? [],
  );
  expect(found).toEqual(files);
});
