import { expect, test } from 'vitest';
import { createSync } from './createSync.ts';

test('what the restarted server lacks is made if it was not saved, and asked about if it was', () => {
  const page = createPage();
  expect(page.sync.resume('a', { mine: 'saved', base: 'saved' })).toBe('ask');
  expect(page.shown.size).toBe(0);
  expect(page.sync.resume('b', { mine: 'new', base: undefined })).toBe('met');
  expect(page.sync.resume('c', { mine: 'changed', base: 'saved' })).toBe('met');
  expect([...page.shown]).toEqual([
    ['b', 'new'],
    ['c', 'changed'],
  ]);
});

test('what was not changed here becomes as the restarted server has it', () => {
  const page = createPage([['a', 'theirs']]);
  expect(page.sync.resume('a', { mine: 'saved', base: 'saved' })).toBe('met');
  expect(page.shown.get('a')).toBe('theirs');
});

test('what was deleted here is deleted, unless somebody has changed it since', () => {
  const page = createPage([
    ['a', 'saved'],
    ['b', 'theirs'],
  ]);
  page.sync.resume('a', { mine: undefined, base: 'saved' });
  page.sync.resume('b', { mine: undefined, base: 'saved' });
  page.sync.resume('c', { mine: undefined, base: 'saved' });
  expect([...page.shown]).toEqual([['b', 'theirs']]);
});

/** A page that shows what the server has. The server never answers. */
function createPage(onServer: readonly (readonly [string, string])[] = []) {
  const shown = new Map<string, string>(onServer);
  const stored = new Map<string, string>(onServer);
  const sync = createSync<string, string>({
    find: (key) => ({ mine: shown.get(key), stored: stored.get(key) }),
    contentOf: (content) => content,
    isEqual: (a, b) => a === b,
    prepare: (_, content) => content,
    merge: () => undefined,
    whenContradicting: 'ask',
    note(key, content) {
      if (content === undefined) stored.delete(key);
      else stored.set(key, content);
    },
    show(changed) {
      for (const [key, content] of changed) {
        if (content === undefined) shown.delete(key);
        else shown.set(key, content);
      }
    },
    send: () => new Promise(() => {}),
    read: () => new Promise(() => {}),
    wait: () => new Promise(() => {}),
  });
  return { sync, shown };
}
