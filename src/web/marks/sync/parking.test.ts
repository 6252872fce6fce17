import { expect, test } from 'vitest';
import { findParked } from './parking.ts';

test('work is found by the path and the UID of all of its files, and is lost otherwise', () => {
  const files = [
    { path: '/a.dcm', sop_instance_uid: '1' },
    { path: '/b.dcm', sop_instance_uid: '2' },
  ];
  const [both, replaced, gone, unnamed] = [
    [files[1]!, files[0]!],
    [{ path: '/a.dcm', sop_instance_uid: '9' }],
    [files[0]!, { path: '/c.dcm', sop_instance_uid: '3' }],
    [{ path: '/b.dcm' }],
  ];

  const { found, lost } = findParked([both, replaced, gone, unnamed], (names) => names, files);

  // The files are in the order in which the work names them.
  expect(found).toEqual([
    { work: both, files: [files[1], files[0]] },
    { work: unnamed, files: [files[1]] },
  ]);
  expect(lost).toEqual([replaced, gone]);
});
