import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRunning } from '../../src/server/machine/system/isRunning.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { createPrograms, startNegato } from './negatoProcess.ts';
import { findFreePort } from './ports.ts';
import { startSshServer } from './sshServer.ts';
import { needs } from '../support/needs.ts';

describe('the tunnel, by the ssh of the system to a real SSH server', needs('the ssh command'), () => {
  test('the port of the other host leads here while the forward stands, and the file list says so', async () => {
    const { env, connections } = await startSshServer();
    const port = await findFreePort();
    const negato = await startNegato(['--tunnel', 'box', '--tunnel-port', String(port), createTempFolder()], { env });
    const [, url = ''] = await negato.waitFor('stdout', /^negato: the tunnel is open: on box, open (\S+)$/m);

    expect(url).toBe(`http://localhost:${port}/#token=${negato.started.token}`);
    const remote = { base_url: `http://127.0.0.1:${port}`, token: negato.started.token };
    expect(await readTunnelState(remote)).toEqual([true, 'box']);
    // Every user of the other host can reach that port, and all of them arrive here as the ssh of one user.
    expect((await fetch(`${remote.base_url}/api/files`)).status).toBe(401);

    negato.signal('SIGTERM');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
    await expect.poll(connections).toBe(0);
    expect(negato.output.stderr).not.toContain('warning');
  });

  test('when the connection ends, the file list and a warning report it, and the server continues', async () => {
    const { env, disconnect } = await startSshServer();
    const port = await findFreePort();
    const negato = await startNegato(['--tunnel', 'box', '--tunnel-port', String(port), createTempFolder()], { env });
    await negato.waitFor('stdout', /the tunnel is open/);
    disconnect();
    await negato.waitFor('stderr', /^negato: warning: the tunnel to box has ended: /m);
    expect(await readTunnelState(negato.started)).toEqual([false, null]);
  });

  test('a port that is taken on the other host is reported in the words of ssh', async () => {
    const { env } = await startSshServer();
    // Without --tunnel-port the remote port equals the local one, which is taken, because the SSH server of this test
    // runs on the same host.
    const negato = await startNegato(['--tunnel', 'box', createTempFolder()], { env });
    await negato.waitFor('stderr', /^negato: warning: the tunnel to box failed: .*/m);
    expect(negato.output.stderr).toContain(`remote port forwarding failed for listen port ${negato.started.port}`);
    expect(await readTunnelState(negato.started)).toEqual([false, null]);
    expect(negato.output.stdout).not.toContain('the tunnel is open');
  });

  test('a server that does not know the user is a warning, not a question', async () => {
    const { env } = await startSshServer({ knowsUser: false });
    const negato = await startNegato(['--tunnel', 'box', createTempFolder()], { env });
    const [warning] = await negato.waitFor('stderr', /^negato: warning: the tunnel to box failed: .*$/m);
    expect(warning).toContain('Permission denied');
    expect(await readTunnelState(negato.started)).toEqual([false, null]);
  });

  test('a server on a socket file gets a port that the other host picks', async () => {
    const { env } = await startSshServer();
    const socket = join(createTempFolder(), 'n.sock');
    const negato = await startNegato(['--tunnel', 'box', '--unix-socket', socket, createTempFolder()], { env });
    const [, port] = await negato.waitFor('stdout', /the tunnel is open: on box, open http:\/\/localhost:(\d+)\//);
    const remote = { base_url: `http://127.0.0.1:${port}`, token: negato.started.token };
    expect(await readTunnelState(remote)).toEqual([true, 'box']);
  });
});

test('without ssh there is a warning, and the server continues', async () => {
  // Node is found by its full path. No other program is found.
  const negato = await startNegato(['--tunnel', 'box', createTempFolder()], { env: { PATH: createTempFolder() } });
  const [warning] = await negato.waitFor('stderr', /^negato: warning: the tunnel to box failed: .*$/m);
  expect(warning).toContain('ssh cannot be started');
  expect(await readTunnelState(negato.started)).toEqual([false, null]);
});

test('an ssh that connects without confirming the forward is no tunnel', async () => {
  const env = await createPrograms({ ssh: 'echo "Authenticated to box" >&2; exec sleep 30' });
  const negato = await startNegato(['--tunnel', 'box', '--log-level', 'debug', createTempFolder()], { env });
  await negato.waitFor('stderr', /ssh: Authenticated to box/);
  expect(await readTunnelState(negato.started)).toEqual([false, null]);
});

test('an ssh whose negato was killed ends, too', async () => {
  const pidFile = join(createTempFolder(), 'pid');
  const env = await createPrograms({ ssh: `echo $$ > ${pidFile}; echo "Authenticated to box" >&2; exec sleep 600` });
  const negato = await startNegato(['--tunnel', 'box', '--log-level', 'debug', createTempFolder()], { env });
  await negato.waitFor('stderr', /ssh: Authenticated to box/);
  const pid = Number(await readFile(pidFile, 'utf8'));
  expect(isRunning(pid)).toBe(true);

  negato.signal('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

async function readTunnelState({ base_url, token }: { base_url: string; token: string | null }) {
  const response = await fetch(`${base_url}/api/files`, { headers: { authorization: `Bearer ${token}` } });
  const { tunnelled, tunnel_host }: FilesResponse = await response.json();
  return [tunnelled, tunnel_host];
}
