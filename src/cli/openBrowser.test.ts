import { expect, test } from 'vitest';
import { browserObstacle, openerCommand, redirectPage } from './openBrowser.ts';

test.each([
  ['linux', { DISPLAY: ':0' }, undefined],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, undefined],
  ['linux', {}, 'no display is available'],
  ['linux', { DISPLAY: ':10', SSH_CONNECTION: 'a 1 b 22' }, 'this is an SSH session'],
  ['darwin', {}, undefined],
  ['darwin', { SSH_TTY: '/dev/pts/1' }, 'this is an SSH session'],
  ['win32', {}, undefined],
] as const)('on %s with %j: %s', (platform, environment, obstacle) => {
  expect(browserObstacle(environment, platform)).toBe(obstacle);
});

test('each system has its own opener', () => {
  expect(openerCommand('linux', 'x')).toEqual(['xdg-open', 'x']);
  expect(openerCommand('darwin', 'x')).toEqual(['open', 'x']);
  expect(openerCommand('win32', 'x')).toEqual(['cmd', '/d', '/c', 'start', '""', '"x"']);
});

test('no token can leave its place in the redirect page', () => {
  const page = redirectPage(`http://127.0.0.1:8042/#token="></script><script>alert(1)</script>`);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain(
    'location.replace("http://127.0.0.1:8042/#token=%22%3E%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E")',
  );
});
