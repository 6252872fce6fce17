import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirstFileByUid } from './firstFileByUid.ts';

test('the first file with a UID is found, and no other', () => {
  const uids = fc.array(fc.oneof(fc.stringMatching(/^1\.2\.[0-9]{1,3}$/), fc.string()), { maxLength: 300 });
  fc.assert(
    fc.property(uids, fc.array(fc.string()), (files, others) => {
      const table = new FirstFileByUid((file) => files[file]);
      const known = new Map<string, number>();
      for (const [file, uid] of files.entries()) {
        expect(table.add(uid, file)).toBe(known.get(uid));
        if (!known.has(uid)) known.set(uid, file);
      }
      for (const uid of [...files, ...others]) expect(table.find(uid)).toBe(known.get(uid));
    }),
  );
});

test('UIDs that follow each other are found among 100,000', () => {
  const uids = Array.from({ length: 100_000 }, (_, file) => `1.2.826.0.1.3680043.10.70.${file}`);
  const table = new FirstFileByUid((file) => uids[file]);
  for (const [file, uid] of uids.entries()) table.add(uid, file);

  expect(uids.filter((uid, file) => table.find(uid) !== file)).toEqual([]);
  expect(table.find('1.2.826.0.1.3680043.10.70.100000')).toBeUndefined();
});
