import { expect, test } from 'vitest';
import { listMembers } from './listMembers.ts';

async function list(text: string) {
  return Object.fromEntries(await listMembers(new Blob([text])));
}

test('the members of the root are listed with their kinds, and those inside of them are not', async () => {
  const text = `{"images": [{"annotations": "a"}], "annotations" :\n[], "format":"x", "a\\"}": {"b": 1}, "n": 3}`;

  expect(await list(text)).toEqual({
    images: 'list',
    annotations: 'list',
    format: 'text',
    'a\\"}': 'object',
    n: 'other',
  });
});

test.each(['', '[]', '["format"]', '[{"format":"x"}]', '"format"', '7', '}}}'])('%j has no members', async (text) => {
  expect(await list(text)).toEqual({});
});

test('a member after a list of several megabytes is found', async () => {
  expect(await list(`{"images":[${'{},'.repeat(1_000_000)}{}],"annotations":[]}`)).toEqual({
    images: 'list',
    annotations: 'list',
  });
});

test('a file is read a megabyte at a time', async () => {
  const file = new Blob(['['.repeat(3_000_000)]);
  const lengths: number[] = [];
  const slice = file.slice.bind(file);
  file.slice = (start, end) => {
    lengths.push((end ?? 0) - (start ?? 0));
    return slice(start, end);
  };

  expect(Object.fromEntries(await listMembers(file))).toEqual({});
  expect(lengths).toEqual([1_048_576, 1_048_576, 1_048_576]);
});
