import { expect, test } from 'vitest';
import { COMMANDS } from './commandTable.ts';
import { writeKeysPage } from './keysPage.ts';

test('docs/keys.md lists the keys of the table', async () => {
  await expect(writeKeysPage()).toMatchFileSnapshot('../../../docs/keys.md');
});

test.each(['slides', 'other images'])('no key means two things on %s', (images) => {
  const isForSlides = images === 'slides';
  const commands = COMMANDS.filter(({ id }) => id.startsWith('slide.') === isForSlides);
  const keys = commands.flatMap((command) => command.keys);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test('every command has a name of its own', () => {
  expect(new Set(COMMANDS.map(({ id }) => id)).size).toBe(COMMANDS.length);
  expect(new Set(COMMANDS.map(({ title }) => title)).size).toBe(COMMANDS.length);
});
