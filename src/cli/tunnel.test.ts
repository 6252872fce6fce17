import { expect, test } from 'vitest';
import { readSshLine, sshArguments } from './tunnel.ts';

// Lines as OpenSSH 9.2 writes them with -v.
test.each([
  [
    'debug1: remote forward success for: listen localhost:9000, connect 127.0.0.1:8042',
    { kind: 'forwarded', port: 9000 },
  ],
  ['debug1: remote forward success for: listen 9000, connect 127.0.0.1:8042', { kind: 'forwarded', port: 9000 }],
  ['debug1: remote forward success for: listen localhost:0, connect /run/n.sock:-2', { kind: 'forwarded', port: 0 }],
  ['Allocated port 39267 for remote forward to 127.0.0.1:8042', { kind: 'forwarded', port: 39_267 }],
  ['debug1: remote forward failure for: listen localhost:9000, connect 127.0.0.1:8042', { kind: 'chatter' }],
  ['OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.19 27 Jan 2026', { kind: 'chatter' }],
  ['Authenticated to gateway ([10.0.0.5]:22) using "publickey".', { kind: 'chatter' }],
  [
    'Error: remote port forwarding failed for listen port 9000\r',
    { kind: 'complaint', text: 'Error: remote port forwarding failed for listen port 9000' },
  ],
  [
    'me@gateway: Permission denied (publickey).',
    { kind: 'complaint', text: 'me@gateway: Permission denied (publickey).' },
  ],
])('%s', (line, report) => {
  expect(readSshLine(line)).toEqual(report);
});

test('ssh is asked for one forward on the loopback of the other host, and for no question', () => {
  const args = sshArguments({ sshHost: 'me@gateway', remotePort: 9000, target: '127.0.0.1:8042' });
  expect(args.slice(-4)).toEqual(['-R', 'localhost:9000:127.0.0.1:8042', '--', 'me@gateway']);
  expect(args).toContain('ExitOnForwardFailure=yes');
  expect(args).toContain('BatchMode=yes');
});
