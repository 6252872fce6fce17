import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { type Connection, Server, utils } from 'ssh2';
import { onTestFinished } from 'vitest';
import { findProgram } from '../support/needs.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { createPrograms } from './negatoProcess.ts';
import { portOf } from './ports.ts';

/** The system's ssh, if it has one. */
export const SSH = findProgram('ssh');

/**
 * A real SSH server on the loopback that grants remote forwards, and the system's ssh configured to reach it as `box`.
 */
export type SshServer = {
  /** Environment for the process: an ssh that reads only the settings of this test. */
  readonly env: { readonly PATH: string };
  /** Cuts all connections, as a network failure does. */
  readonly disconnect: () => void;
  readonly connections: () => number;
};

export async function startSshServer({ knowsUser = true }: { knowsUser?: boolean } = {}): Promise<SshServer> {
  const [hostKey, userKey] = [generateKeys(), generateKeys()];
  const connections = new Set<Connection>();
  const server = new Server({ hostKeys: [hostKey.private] }, (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) => {
      const isUser = attempt.method === 'publickey' && attempt.key.data.equals(publicKeyBytes(userKey.public));
      if (knowsUser && isUser) attempt.accept();
      else attempt.reject(['publickey']);
    });
    grantForwards(connection);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());

  const folder = createTempFolder();
  const port = portOf(server);
  const identity = join(folder, 'identity');
  await writeFile(identity, userKey.private);
  await chmod(identity, 0o600);
  await writeFile(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${hostKey.public}\n`);
  const settings = {
    Host: 'box',
    HostName: '127.0.0.1',
    Port: port,
    User: 'ana',
    IdentityFile: identity,
    IdentitiesOnly: 'yes',
    UserKnownHostsFile: join(folder, 'known_hosts'),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  await writeFile(join(folder, 'config'), `${lines.join('\n')}\n`);
  const env = await createPrograms({ ssh: `exec ${SSH} -F ${join(folder, 'config')} "$@"` });
  return {
    env,
    disconnect: () => {
      for (const connection of connections) connection.end();
    },
    connections: () => connections.size,
  };
}

/** Not Ed25519: OpenSSH cannot read one in several hundred of the Ed25519 keys that ssh2 writes. */
function generateKeys() {
  return utils.generateKeyPairSync('ecdsa', { bits: 256 });
}

function publicKeyBytes(openSshLine: string): Buffer {
  return Buffer.from(openSshLine.split(' ')[1] ?? '', 'base64');
}

function grantForwards(connection: Connection): void {
  connection.on('request', (accept, reject, name, info) => {
    if (name !== 'tcpip-forward') {
      reject?.();
      return;
    }
    const listener: NetServer = createServer((socket) => {
      const remote = { address: '127.0.0.1', port: socket.remotePort ?? 0 };
      connection.forwardOut(info.bindAddr, portOf(listener), remote.address, remote.port, (error, channel) => {
        if (error) {
          socket.destroy();
          return;
        }
        socket.on('error', () => channel.end());
        channel.on('error', () => socket.destroy());
        socket.pipe(channel).pipe(socket);
      });
    });
    listener.once('error', () => reject?.());
    listener.listen(info.bindPort, '127.0.0.1', () => accept?.(portOf(listener)));
    connection.on('close', () => listener.close());
  });
}
