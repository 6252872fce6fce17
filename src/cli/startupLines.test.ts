import { expect, test } from 'vitest';
import type { SkipReason } from '../shared/contract/files.ts';
import { forwardCommand, launchUrl, progressText, scanSummary, serverStarted } from './startupLines.ts';

const loopback = {
  baseUrl: 'http://127.0.0.1:8042',
  host: '127.0.0.1',
  port: 8042,
  socket: undefined,
  token: undefined,
};
const onSocket = {
  baseUrl: 'http://localhost',
  host: 'localhost',
  port: 0,
  socket: '/run/me/n.sock',
  token: undefined,
};

test('the start event has exactly the keys that programs rely on', () => {
  expect(serverStarted({ ...loopback, token: 'a+b' })).toEqual({
    type: 'server_started',
    url: 'http://127.0.0.1:8042/#token=a%2Bb',
    base_url: 'http://127.0.0.1:8042',
    host: '127.0.0.1',
    port: 8042,
    token: 'a+b',
    socket: null,
    protocol: 1,
  });
  expect(serverStarted(onSocket)).toMatchObject({ url: 'http://localhost/', token: null, socket: '/run/me/n.sock' });
});

test('the launch URL has a fragment only if a token is required', () => {
  expect(launchUrl(loopback)).toBe('http://127.0.0.1:8042/');
});

test.each([
  [loopback, '10.0.0.9 50000 10.0.0.5 22', 'ssh -N -L 8042:127.0.0.1:8042 ana@10.0.0.5'],
  [loopback, '10.0.0.9 50000 10.0.0.5 2222', 'ssh -N -p 2222 -L 8042:127.0.0.1:8042 ana@10.0.0.5'],
  [
    { ...loopback, baseUrl: 'http://[::1]:8042' },
    'fe80::9 1 2001:db8::5 22',
    "ssh -N -L '8042:[::1]:8042' ana@2001:db8::5",
  ],
  [onSocket, '10.0.0.9 50000 10.0.0.5 22', 'ssh -N -L 8042:/run/me/n.sock ana@10.0.0.5'],
  // ssh treats a plain colon as the end of the path, and a percent sign as the start of a token.
  [{ ...onSocket, socket: "/r/it's 5%:x" }, 'a 1 b 22', String.raw`ssh -N -L '8042:/r/it'\''s 5%%\:x' ana@b`],
])('the command to run at home', (address, sshConnection, command) => {
  expect(forwardCommand(address, { SSH_CONNECTION: sshConnection }, 'ana')).toBe(command);
});

test('a node of a cluster is reached through the host where its job was submitted', () => {
  const job = { SLURM_JOB_ID: '77', SLURM_SUBMIT_HOST: 'login1', SLURMD_NODENAME: 'c12' };
  const throughLogin = 'ssh -N -L 8042:127.0.0.1:8042 -J ana@login1 ana@c12';
  expect(forwardCommand(loopback, job, 'ana')).toBe(throughLogin);
  // srun passes the variables of the shell on, so that they tell about the way to the login host.
  expect(forwardCommand(loopback, { ...job, SSH_CONNECTION: '10.0.0.9 50000 10.0.0.5 22' }, 'ana')).toBe(throughLogin);
  // A shell in an allocation that runs on the login host itself.
  const onLogin = { ...job, SLURMD_NODENAME: 'login1', SSH_CONNECTION: '10.0.0.9 50000 10.0.0.5 22' };
  expect(forwardCommand(loopback, onLogin, 'ana')).toBe('ssh -N -L 8042:127.0.0.1:8042 ana@10.0.0.5');
  expect(forwardCommand(loopback, {}, 'ana')).toBeUndefined();
});

const reasons = (...entries: [SkipReason, number][]) => new Map(entries);

test('the summary counts skipped files by reason, the most frequent first', () => {
  const byReason = reasons(['unreadable', 1], ['not_dicom', 6], ['filter_mismatch', 3]);
  expect(scanSummary({ files: 812, skipped: 7, filtered: 3, byReason })).toBe(
    '812 DICOM files; 7 skipped: 6 not DICOM, 1 unreadable; 3 filtered out',
  );
});

test('the summary of a folder without DICOM files lists what was found instead', () => {
  expect(scanSummary({ files: 0, skipped: 2, filtered: 0, byReason: reasons(['not_dicom', 2]) })).toBe(
    'no DICOM files found; 2 skipped: 2 not DICOM',
  );
  expect(scanSummary({ files: 1, skipped: 0, filtered: 0, byReason: reasons() })).toBe('1 DICOM file');
});

test('the progress line counts', () => {
  expect(progressText({ files: 1, skipped: 0, filtered: 0 })).toBe('scanning: 1 DICOM file');
  expect(progressText({ files: 20, skipped: 3, filtered: 4 })).toBe(
    'scanning: 20 DICOM files, 3 skipped, 4 filtered out',
  );
});
