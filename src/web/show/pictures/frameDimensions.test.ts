import { expect, test } from 'vitest';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { describeDimensions, listPointers } from './frameDimensions.ts';

function leaf(tag: string, value: TagNode['value']): TagNode {
  return { tag, keyword: '', name: '', vr: '', value };
}

function group(tag: string, ...items: TagNode[][]): TagNode {
  return leaf(tag, { type: 'sequence', items });
}

const string = (tag: string, value: string) => leaf(tag, { type: 'string', value });
const number = (tag: string, value: number) => leaf(tag, { type: 'number', value });

const GROUPS = [
  group('(0020,9111)', [string('(0020,9056)', '1'), number('(0020,9128)', 3)]),
  group('(0018,9117)', [number('(0018,9087)', 1000)]),
  group('(0018,9114)', [number('(0018,9082)', 87.5)]),
];

test('a frame says its time, b-value and echo if the file names them as dimensions', () => {
  const pointers = new Set(['(0020,9128)', '(0018,9087)', '(0018,9082)']);
  expect(describeDimensions(GROUPS, pointers)).toBe('time 3 · b 1000 s/mm² · TE 87.5 ms');
});

test('what is no dimension of the file is not said', () => {
  expect(describeDimensions(GROUPS, new Set(['(0018,9087)']))).toBe('b 1000 s/mm²');
  expect(describeDimensions(GROUPS, new Set())).toBe('');
});

test('a dimension whose group is absent is left out', () => {
  expect(describeDimensions([], new Set(['(0018,9087)']))).toBe('');
});

test('dimensions are the elements that the file points to', () => {
  const node = group('(0020,9222)', [string('(0020,9165)', '(0020,9128)')], [], [string('(0020,9165)', '(0018,9087)')]);
  expect(listPointers(node)).toEqual(new Set(['(0020,9128)', '(0018,9087)']));
  expect(listPointers(undefined)).toEqual(new Set());
});
