import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { listenOnUnixSocket } from './unixSocket.ts';
import { needs } from '../../../../test/support/needs.ts';

function createPrivateFolder(): string {
  const folder = createTempFolder();
  chmodSync(folder, 0o700);
  return folder;
}

function createListener(): Server {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Leaves a socket that no process listens on any more, because its process was killed. */
function leaveDeadSocket(path: string): void {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  if (!existsSync(path)) throw new Error('no socket was left');
}

test('the socket is for its user only, and the lock is gone when the server listens', async () => {
  const folder = createPrivateFolder();
  await listenOnUnixSocket(createListener(), join(folder, 's'));
  expect(modeOf(join(folder, 's'))).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['s']);
});

test('a folder that does not exist is made for its user only', async () => {
  const folder = join(createPrivateFolder(), 'new');
  await listenOnUnixSocket(createListener(), join(folder, 's'));
  expect(modeOf(folder)).toBe(0o700);
});

test('the umask of the process is restored', async () => {
  const before = process.umask(0o022);
  try {
    await listenOnUnixSocket(createListener(), join(createPrivateFolder(), 's'));
    expect(process.umask()).toBe(0o022);
  } finally {
    process.umask(before);
  }
});

test('the socket is gone when the server has closed', async () => {
  const folder = createPrivateFolder();
  const server = createListener();
  await listenOnUnixSocket(server, join(folder, 's'));
  await new Promise((closed) => server.close(closed));
  expect(readdirSync(folder)).toEqual([]);
});

describe('an existing entry at the path', () => {
  test('is replaced when it is the socket of a dead server', async () => {
    const path = join(createPrivateFolder(), 's');
    leaveDeadSocket(path);
    const server = createListener();
    await listenOnUnixSocket(server, path);
    expect(server.listening).toBe(true);
  });

  test('is kept if a server is listening on it', async () => {
    const path = join(createPrivateFolder(), 's');
    const first = createListener();
    await listenOnUnixSocket(first, path);
    await expect(listenOnUnixSocket(createListener(), path)).rejects.toThrow('another server is listening');
    expect(first.listening).toBe(true);
    expect(existsSync(path)).toBe(true);
  });

  test.each(['a file', 'a link'])('is kept if it is %s', async (kind) => {
    const folder = createPrivateFolder();
    const path = join(folder, 's');
    writeFileSync(join(folder, 'precious'), 'text');
    if (kind === 'a link') symlinkSync(join(folder, 'precious'), path);
    else writeFileSync(path, 'text');
    await expect(listenOnUnixSocket(createListener(), path)).rejects.toThrow('not a socket');
    expect(existsSync(path)).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['precious', 's']);
  });
});

describe('the lock', () => {
  test('of another process that is starting is respected', async () => {
    const path = join(createPrivateFolder(), 's');
    writeFileSync(`${path}.lock`, `${process.pid} other`);
    await expect(listenOnUnixSocket(createListener(), path)).rejects.toThrow('another negato process is starting');
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  test.each(['999999999 gone', '', 'nonsense'])('of a start that died is taken over: %j', async (content) => {
    const folder = createPrivateFolder();
    writeFileSync(join(folder, 's.lock'), content);
    await listenOnUnixSocket(createListener(), join(folder, 's'));
    expect(readdirSync(folder)).toEqual(['s']);
  });

  test('lets one of ten starts at once through', async () => {
    const folder = createPrivateFolder();
    leaveDeadSocket(join(folder, 's'));
    const starts = await Promise.allSettled(
      Array.from({ length: 10 }, () => listenOnUnixSocket(createListener(), join(folder, 's'))),
    );
    expect(starts.filter((start) => start.status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['s']);
  });
});

describe('the folder of the socket is refused', () => {
  test.each([0o755, 0o710, 0o701, 0o777])('with mode %o', async (mode) => {
    const folder = createTempFolder();
    chmodSync(folder, mode);
    await expect(listenOnUnixSocket(createListener(), join(folder, 's'))).rejects.toThrow(
      'other users can access the folder',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test('when it is a link', async () => {
    const folder = createPrivateFolder();
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    await expect(listenOnUnixSocket(createListener(), join(folder, 'link', 's'))).rejects.toThrow('or a link');
  });

  test('when every user may rename a parent folder', async () => {
    const above = createTempFolder();
    chmodSync(above, 0o777);
    const folder = join(above, 'private');
    mkdirSync(folder, { mode: 0o700 });
    await expect(listenOnUnixSocket(createListener(), join(folder, 's'))).rejects.toThrow('another user controls');
  });

  test('when it belongs to another user', needs('the user root'), async () => {
    const folder = createPrivateFolder();
    chownSync(folder, 65_534, 65_534);
    await expect(listenOnUnixSocket(createListener(), join(folder, 's'))).rejects.toThrow('belongs to another user');
  });

  test('when another user owns a folder above it', needs('the user root'), async () => {
    const above = createPrivateFolder();
    const folder = join(above, 'private');
    mkdirSync(folder, { mode: 0o700 });
    chownSync(above, 65_534, 65_534);
    await expect(listenOnUnixSocket(createListener(), join(folder, 's'))).rejects.toThrow('another user controls');
  });
});

test('a path that is too long for a socket is refused by name', async () => {
  const path = join(createPrivateFolder(), 'x'.repeat(120));
  await expect(listenOnUnixSocket(createListener(), path)).rejects.toThrow('longer than 103 bytes');
});
