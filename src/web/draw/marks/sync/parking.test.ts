import { expect, test } from 'vitest';
import { findParked } from './parking.ts';

test('work is found by the path and the UID of all of its files, and is lost otherwise', () => {
  const files = [
    { path: '/a.dcm', sop_instance_uid: '1' },
    { path: '/b.dcm', sop_instance_uid: '2' },
  ];
  const [first, second] = files;
  const parked = [
    { work: 'both', files: new Map([4, 9].map((index, n) => [index, [second!, first!][n]!])) },
    { work: 'replaced', files: new Map([[0, { path: '/a.dcm', sop_instance_uid: '9' }]]) },
    {
      work: 'gone',
      files: new Map([
        [0, first!],
        [1, { path: '/c.dcm', sop_instance_uid: '3' }],
      ]),
    },
    { work: 'unnamed', files: new Map([[7, { path: '/b.dcm' }]]) },
  ];

  const { found, lost } = findParked(parked, files);

  // By the indices of the run before.
  expect(found.map((one) => [one.work, [...one.found]])).toEqual([
    [
      'both',
      [
        [4, second],
        [9, first],
      ],
    ],
    ['unnamed', [[7, second]]],
  ]);
  expect(lost.map(({ work }) => work)).toEqual(['replaced', 'gone']);
});
