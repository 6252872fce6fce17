import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import { groupByClass } from './groupMarks.ts';

const CLASSES = [
  { key: 'n', title: 'Nodule', color: '#ff8800' },
  { key: 'c', title: 'Cyst', color: '#0088ff' },
];

function mark(title: string, key: string | null | undefined) {
  const words = key === undefined ? undefined : { ...NO_WORDS, class: key };
  return { title, file: createFileRecord(0), frame: 0, words };
}

test('every class has a heading, also without marks; marks of unknown classes have none, and ROIs are apart', () => {
  const marks = [mark('a', 'c'), mark('b', null), mark('roi', undefined), mark('d', 'gone'), mark('e', 'c')];

  const groups = groupByClass(marks, CLASSES).map(({ title, classKey, marks: own }) => [
    title,
    classKey,
    own.map((one) => one.title).join(' '),
  ]);

  expect(groups).toEqual([
    ['Nodule', 'n', ''],
    ['Cyst', 'c', 'a e'],
    ['No class', null, 'b d'],
    ['ROIs (CSV)', undefined, 'roi'],
  ]);
});
