import { expect, test } from 'vitest';
import { stateFolder } from './stateFolder.ts';

test.each([
  ['linux', {}, '/home/u/.local/state/negato'],
  ['linux', { XDG_STATE_HOME: '/var/u' }, '/var/u/negato'],
  ['linux', { XDG_STATE_HOME: 'relative' }, '/home/u/.local/state/negato'],
  ['linux', { XDG_STATE_HOME: '' }, '/home/u/.local/state/negato'],
  ['darwin', {}, '/home/u/Library/Application Support/negato'],
  ['win32', { LOCALAPPDATA: '/c/local' }, '/c/local/negato'],
] as const)('on %s with %j the state is in %s', (platform, environment, folder) => {
  expect(stateFolder({ environment, platform, home: '/home/u' })).toBe(folder);
});
