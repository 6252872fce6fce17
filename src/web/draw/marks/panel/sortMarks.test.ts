import { expect, test } from 'vitest';
import { traitsOf } from '../../../../shared/markTraits.ts';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { createPage } from '../../../kit/state/page.ts';
import type { MeasureTool } from '../../../kit/state/tools.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import { chooseRow, countByClass, filterMarks, type MarkOrder, sortMarks } from './sortMarks.ts';

const CLASSES = [
  { key: 'n', title: 'Nodule', color: '#ff8800' },
  { key: 'c', title: 'Cyst', color: '#0088ff' },
];

function createMark(uid: string, kind: MeasureTool, [fileIndex, frame]: readonly [number, number], words = {}) {
  const file = createFileRecord(fileIndex, { frame_count: 5 });
  return { uid, title: traitsOf(kind).title, file, frame, words: { ...NO_WORDS, ...words } };
}

const MARKS = [
  createMark('1', 'polygon', [1, 0], { class: 'c', label: 'b 10' }),
  createMark('2', 'arrow', [0, 3], { text: 'Here' }),
  createMark('3', 'length', [0, 1], { class: 'n', label: 'b 9' }),
  createMark('4', 'angle', [1, 0], { class: 'gone' }),
];

test.each<readonly [MarkOrder, readonly string[]]>([
  ['time', ['1', '2', '3', '4']],
  // In natural order; without a label last.
  ['label', ['3', '1', '2', '4']],
  // In the order of the scheme; a class that it does not have comes last.
  ['class', ['3', '1', '2', '4']],
  ['image', ['3', '2', '1', '4']],
  // Angle, Arrow, Length, Polygon.
  ['kind', ['4', '2', '3', '1']],
])('marks are sorted by %s', (order, ids) => {
  expect(sortMarks(createPage(), MARKS, order, CLASSES).map(({ uid }) => uid)).toEqual(ids);
});

test('marks are found by any of their words, and by class', () => {
  const find = (text: string, wanted: Parameters<typeof filterMarks>[1]['wanted']) =>
    filterMarks(MARKS, { text, wanted }, CLASSES).map(({ uid }) => uid);

  expect(find('', 'all')).toEqual(['1', '2', '3', '4']);
  expect(find(' here ', 'all')).toEqual(['2']);
  expect(find('CYST', 'all')).toEqual(['1']);
  expect(find('b', { key: 'n' })).toEqual(['3']);
  expect(find('', { key: null })).toEqual(['2', '4']);
  expect(countByClass(MARKS, CLASSES)).toEqual(
    new Map([
      ['c', 1],
      [null, 2],
      ['n', 1],
    ]),
  );
});

test('Ctrl adds a row and takes it out, Shift chooses all rows from the one before', () => {
  const rows = ['7', '3', '9', '1'];
  const plain = { rows, chosen: new Set(['3']), anchor: '3', isRange: false, isAdded: false };

  expect(chooseRow('9', plain)).toEqual(new Set(['9']));
  expect(chooseRow('9', { ...plain, isAdded: true })).toEqual(new Set(['3', '9']));
  expect(chooseRow('3', { ...plain, isAdded: true })).toEqual(new Set());
  expect(chooseRow('1', { ...plain, isRange: true })).toEqual(new Set(['3', '9', '1']));
  expect(chooseRow('7', { ...plain, isRange: true })).toEqual(new Set(['7', '3']));
  expect(chooseRow('9', { ...plain, anchor: '1', isRange: true, isAdded: true })).toEqual(new Set(['3', '9', '1']));
  // The row where a range would begin may have been filtered out.
  expect(chooseRow('9', { ...plain, anchor: '5', isRange: true })).toEqual(new Set(['9']));
});
