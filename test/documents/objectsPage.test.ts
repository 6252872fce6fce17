import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DOCUMENT_KINDS } from '../../src/shared/contract/documentTerms.ts';
import { listStorageClasses } from '../../src/server/standard/dicom/uids.ts';
import { writeObjectsPage } from '../../src/server/say/documents/documentKinds.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/objects.md', import.meta.url)), 'utf8');

test('docs/objects.md is what the registry says', () => {
  expect(page).toBe(writeObjectsPage());
});

test('docs/objects.md names every kind once, and every storage class once', () => {
  for (const kind of DOCUMENT_KINDS) expect(page.split(`\n## ${kind}\n`)).toHaveLength(2);
  for (const { uid } of listStorageClasses()) expect(page.split(`(${uid})`)).toHaveLength(2);
});
