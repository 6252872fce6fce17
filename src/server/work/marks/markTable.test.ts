import { expect, test } from 'vitest';
import { packMarkSlices } from './markContent.ts';
import { createMarkTable } from './markTable.ts';

const content = {
  kind: 'point',
  place: { type: 'frame', file_index: 0, frame_index: 0 },
  points: Float64Array.of(1, 2),
  slices: packMarkSlices([]),
  label: '',
  class: null,
  text: '',
  comment: '',
  author: '',
  locked: false,
} as const;
const mark = (uid: string) => ({ uid, createdAtMs: 0, modifiedAtMs: 0, content });

test('a client that asks for what has changed gets changed and deleted marks, and all of them after another run', () => {
  const table = createMarkTable(2 ** 20, () => {});
  const [a, b] = [table.add(mark('2.25.1')), table.add(mark('2.25.2'))];
  const since = table.revision();
  table.replace({ ...b, modifiedAtMs: 1 });
  table.remove([a]);

  expect(table.changesSince(since)).toMatchObject({ isWhole: false, marks: [{ id: b.id }], deleted: [a.id] });
  expect(table.changesSince(table.revision())).toEqual({ isWhole: false, marks: [], deleted: [] });
  expect(table.changesSince(1_000)).toMatchObject({ isWhole: true, marks: [{ id: b.id }], deleted: [] });
});

test('a deleted mark that is made again has its number', () => {
  const table = createMarkTable(2 ** 20, () => {});
  const { id } = table.add(mark('2.25.1'));
  table.add(mark('2.25.2'));
  table.remove([table.require(id)]);
  expect(() => table.require(id)).toThrow('it was deleted');
  expect(table.add(mark('2.25.1')).id).toBe(id);
  expect(table.changesSince(0)).toMatchObject({ deleted: [] });
});

test('marks that need more memory than there is are refused, and change nothing', () => {
  const held: number[] = [];
  // A point takes a thousand bytes and a few.
  const table = createMarkTable(2_500, (bytes) => held.push(bytes));
  table.add(mark('2.25.1'));
  const second = table.add(mark('2.25.2'));
  const revision = table.revision();
  expect(() => table.add(mark('2.25.3'))).toThrow('marks may take 0 MiB');
  expect([table.revision(), table.list().length, held.length]).toEqual([revision, 2, 2]);
  table.remove([second]);
  table.add(mark('2.25.3'));
  expect(held.at(-1)).toBe(held[1]);
});
