import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A separate Orthanc server with its own folder. */
export type Orthanc = {
  readonly baseUrl: string;
  /** Stores a file and returns the address of its picture. */
  store(path: string): Promise<string>;
  close(): Promise<void>;
};

const COMMANDS = ['/usr/sbin/Orthanc', '/usr/local/sbin/Orthanc', '/usr/bin/Orthanc'];

const PLUGINS = '/usr/share/orthanc/plugins';

/** Whether it is installed with its plugin for DICOMweb. */
export function hasOrthancDicomweb(): boolean {
  return COMMANDS.some((path) => existsSync(path)) && existsSync(`${PLUGINS}/libOrthancDicomWeb.so`);
}

/** Undefined if Orthanc is not installed, or not the plugin for DICOMweb if that is wanted. */
export async function startOrthanc(
  folder: string,
  { dicomweb = false }: { readonly dicomweb?: boolean } = {},
): Promise<Orthanc | undefined> {
  if (dicomweb && !hasOrthancDicomweb()) return undefined;
  const plugins = [`${PLUGINS}/libOrthancGdcm.so`, ...(dicomweb ? [`${PLUGINS}/libOrthancDicomWeb.so`] : [])];
  const command = COMMANDS.find((path) => existsSync(path));
  if (command === undefined) return undefined;
  const settings = join(folder, 'orthanc.json');
  const storage = join(folder, 'orthanc');
  const port = await findFreePort();
  writeFileSync(
    settings,
    JSON.stringify({
      StorageDirectory: storage,
      IndexDirectory: storage,
      HttpPort: port,
      DicomServerEnabled: false,
      RemoteAccessAllowed: false,
      KeepAlive: true,
      // A compressed copy of a file has the same UID as the file.
      OverwriteInstances: true,
      Plugins: plugins.filter((path) => existsSync(path)),
      DicomWeb: { Enable: true, Root: '/dicom-web/' },
    }),
  );
  const child = spawn(command, [settings], { stdio: 'ignore' });
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntilReady(baseUrl, child);
  return {
    baseUrl,
    async store(path) {
      const response = await fetch(`${baseUrl}/instances`, { method: 'POST', body: readFileSync(path) });
      const { ID }: { ID: string } = await response.json();
      return `${baseUrl}/instances/${ID}/rendered`;
    },
    async close() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** A port that nobody listens on at the moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function waitUntilReady(baseUrl: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`Orthanc ended with code ${child.exitCode}`);
    const isReady = await fetch(`${baseUrl}/system`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await delay(200);
  }
  throw new Error('Orthanc does not answer');
}
