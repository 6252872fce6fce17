import { expect, test } from 'vitest';
import { spellPress } from './commands.ts';

function press(key: string, held: Partial<Parameters<typeof spellPress>[0]> = {}) {
  return spellPress({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });
}

test.each([
  ['w', {}, 'W'],
  ['W', { shiftKey: true }, 'Shift+W'],
  ['ArrowUp', { shiftKey: true }, 'Shift+Up'],
  ['?', { shiftKey: true }, '?'],
  ['+', { shiftKey: true }, '+'],
  ['k', { ctrlKey: true }, 'Ctrl+K'],
  ['k', { metaKey: true }, 'Ctrl+K'],
  ['z', { ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+Z'],
  [' ', {}, 'Space'],
  ['Escape', { shiftKey: true }, 'Shift+Esc'],
  ['Delete', {}, 'Delete'],
  // The character that macOS produces while Option is held.
  ['®', { altKey: true, code: 'KeyR' }, 'Alt+R'],
])('the press %j with %j is %s', (key, held, spelled) => {
  expect(press(key, held)).toBe(spelled);
});

test('caps lock does not make a letter another key', () => {
  expect(press('W')).toBe('W');
});
