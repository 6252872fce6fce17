import { expect, test } from 'vitest';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { compareTags } from './compareTags.ts';
import { describeValue } from './describeValue.ts';
import { addItems, replaceNode } from './replaceNode.ts';
import { listTagRows, type TagRow } from './tagRows.ts';

function text(tag: string, name: string, value: string): TagNode {
  return { tag, vr: 'LO', keyword: name.replaceAll(' ', ''), name, value: { type: 'string', value } };
}

function sequence(tag: string, name: string, items: TagNode[][], total?: number): TagNode {
  const cut = total === undefined ? {} : { truncated: true as const, total };
  return { tag, vr: 'SQ', keyword: name.replaceAll(' ', ''), name, value: { type: 'sequence', items }, ...cut };
}

const patient = text('(0010,0010)', 'Patient Name', 'Doe^Jane');
const code = (meaning: string) => [text('(0008,0104)', 'Code Meaning', meaning)];
const tree = [
  patient,
  sequence('(0008,2218)', 'Anatomic Region Sequence', [code('Liver')]),
  sequence('(0040,A730)', 'Content Sequence', [code('Size'), code('Shape')], 5),
];

function pathsOf(rows: readonly TagRow[]): string[] {
  return rows.map(({ key }) => key);
}

test('a closed tree shows its elements only', () => {
  expect(pathsOf(listTagRows(tree, new Set()))).toEqual(['(0010,0010)', '(0008,2218)', '(0040,A730)']);
});

test('an open sequence shows its items, a single item is open, and the items that are not here have a line', () => {
  const rows = listTagRows(tree, new Set(['(0008,2218)', '(0040,A730)', '(0040,A730)/1']));
  expect(rows.map(({ key, level }) => `${level} ${key}`)).toEqual([
    '1 (0010,0010)',
    '1 (0008,2218)',
    '2 (0008,2218)/0',
    '3 (0008,2218)/0/(0008,0104)',
    '1 (0040,A730)',
    '2 (0040,A730)/0',
    '2 (0040,A730)/1',
    '3 (0040,A730)/1/(0008,0104)',
    '2 (0040,A730)/more',
  ]);
});

test.each([
  ['jane', ['(0010,0010)']],
  ['patientname', ['(0010,0010)']],
  ['00100010', ['(0010,0010)']],
  ['(0010,00', ['(0010,0010)']],
  ['liver', ['(0008,2218)', '(0008,2218)/0', '(0008,2218)/0/(0008,0104)']],
  ['code shape', ['(0040,A730)', '(0040,A730)/1', '(0040,A730)/1/(0008,0104)']],
  ['anatomic', ['(0008,2218)']],
  ['nowhere', []],
])('a search for %s shows what holds it and what leads there', (words, paths) => {
  expect(pathsOf(listTagRows(tree, new Set(), words.split(' ')))).toEqual(paths);
});

test('values are written in one line', () => {
  const at = { tag: '(0028,0010)', vr: 'US', keyword: '', name: '' };
  expect(describeValue({ ...at, value: { type: 'numbers', value: [0.5, 0.25] } })).toBe('0.5\\0.25');
  expect(describeValue({ ...at, value: { type: 'binary', length: 1234, fragments: 2 } })).toBe(
    '1,234 bytes in 2 fragments',
  );
  expect(describeValue({ ...at, value: { type: 'sequence', items: [] }, truncated: true, total: 7 })).toBe('7 items');
});

test('a comparison lists differences only, down into the sequences', () => {
  const other = [
    text('(0010,0010)', 'Patient Name', 'Doe^John'),
    sequence('(0008,2218)', 'Anatomic Region Sequence', [code('Spleen')]),
    tree[2] ?? patient,
    text('(0020,0011)', 'Series Number', '4'),
  ];
  expect(compareTags(tree, tree)).toEqual([]);
  expect(compareTags(tree, other)).toEqual([
    { path: '(0008,2218)/0/(0008,0104)', name: 'Code Meaning', left: 'Liver', right: 'Spleen' },
    { path: '(0010,0010)', name: 'Patient Name', left: 'Doe^Jane', right: 'Doe^John' },
    { path: '(0020,0011)', name: 'Series Number', left: undefined, right: '4' },
  ]);
});

test('items that are loaded later take their place in the tree', () => {
  const page = sequence('(0040,A730)', 'Content Sequence', [code('Color')], 5);
  const grown = replaceNode(tree, '(0040,A730)', (node) => addItems(node, page));
  expect(grown[2]?.value).toEqual({ type: 'sequence', items: [code('Size'), code('Shape'), code('Color')] });
  expect(grown[2]?.total).toBe(5);
});

test('an element inside an item can be replaced', () => {
  const changed = replaceNode(tree, '(0040,A730)/1/(0008,0104)', () => text('(0008,0104)', 'Code Meaning', 'Round'));
  const value = changed[2]?.value;
  expect(value?.type === 'sequence' && value.items[1]).toEqual(code('Round'));
});
