import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { preview } from 'vite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { FileRecord } from '../../src/shared/contract/files.ts';
import { ctElements } from '../support/ctElements.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { needs } from '../support/needs.ts';
import { findFreePort, startOrthanc } from '../support/orthanc.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { readToldOfFiles } from '../support/toldOfFiles.ts';

// Servers that others have written. The stand-ins of the other tests do what the standards say; these do what people meet.

const RLE = '1.2.840.10008.1.2.5';

function image(number: number, more: object = {}) {
  return ctElements({ SOPInstanceUID: `2.25.${number}`, InstanceNumber: String(number), ...more });
}

/** Files that are read in different ways: in one range, in several, by frames, compressed and inflated. */
function writeStudy(): string {
  const folder = createTempFolder();
  writeBelow(folder, 'one.dcm', writeDicom(image(1)));
  writeBelow(folder, 'with space.dcm', writeDicom(image(2)));
  const long = { '00091010': { vr: 'OB', value: new Uint8Array(200_000) }, ContentDate: '20240202' };
  writeBelow(folder, 'long header.dcm', writeDicom(image(3, long)));
  const samples = Uint16Array.from({ length: 3 * 512 * 512 }, (_, i) => Math.imul(i, 2654435761) >>> 20);
  const frames = { Rows: 512, Columns: 512, NumberOfFrames: '3' };
  writeBelow(folder, 'frames.dcm', writeDicom(image(4, { ...frames, PixelData: samples })));
  const streams = [0, 1, 2].map((frame) =>
    encodeRle(new Uint8Array(samples.buffer, frame * 2 * 512 * 512, 2 * 512 * 512), 2, 1),
  );
  const fragments = streams.map((stream) => Buffer.concat([stream, new Uint8Array(stream.length % 2)]));
  writeBelow(
    folder,
    'rle.dcm',
    writeDicom(image(5, { ...frames, PixelData: { fragments } }), { transferSyntaxUid: RLE }),
  );
  writeBelow(folder, 'deflated.dcm', writeDicom(image(6), { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }));
  return folder;
}

const bySopInstance = ({ sop_instance_uid: uid }: FileRecord) => uid;

/** What the files of a folder are on this machine. */
async function readLocal(folder: string) {
  const local = await serveWith({ inputs: [folder] });
  const expected = await readToldOfFiles(local, bySopInstance);
  expect(expected.size).toBe(6);
  return expected;
}

test('files of the web server of Vite are those of the folder', async () => {
  const folder = writeStudy();
  const expected = await readLocal(folder);
  const links = readdirSync(folder).map(encodeURIComponent);
  writeBelow(folder, 'list.txt', links.join('\n'));
  const vite = await preview({
    configFile: false,
    root: folder,
    appType: 'mpa',
    logLevel: 'silent',
    build: { outDir: folder },
    preview: { host: '127.0.0.1', port: await findFreePort(), open: false },
  });
  onTestFinished(() => vite.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = vite.httpServer.address() as AddressInfo;

  const server = await serveWith({ inputs: [`http://127.0.0.1:${port}/list.txt`], remote: {} });

  expect(server.errors).toEqual([]);
  expect([...server.catalog.skippedByReason()]).toEqual([]);
  expect(await readToldOfFiles(server, bySopInstance)).toEqual(expected);
});

test('objects of moto are those of the folder', needs('the S3 server of moto (moto_server)'), async () => {
  const folder = writeStudy();
  const expected = await readLocal(folder);
  const port = await findFreePort();
  const moto = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  onTestFinished(async () => {
    moto.kill();
    await once(moto, 'close');
  });
  // It refuses to send objects for requests that are not signed, and accepts any key.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'any');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  onTestFinished(() => void vi.unstubAllEnvs());
  const endpoint = `http://127.0.0.1:${port}`;
  const put = (path: string, body?: Uint8Array<ArrayBuffer>) =>
    fetch(`${endpoint}/${path}`, { method: 'PUT', ...(body && { body }) }).catch(() => undefined);
  for (let tries = 0; (await put('bucket'))?.ok !== true; tries += 1) {
    if (tries === 300) throw new Error('moto does not answer');
    await delay(100);
  }
  for (const name of readdirSync(folder)) {
    const stored = await put(
      `bucket/a%20%2B%20b/${encodeURIComponent(name)}`,
      new Uint8Array(readFileSync(join(folder, name))),
    );
    expect(stored?.status).toBe(200);
  }

  const server = await serveWith({ inputs: ['s3://bucket/a + b/'], remote: { endpoint } });

  expect(server.errors).toEqual([]);
  expect([...server.catalog.skippedByReason()]).toEqual([]);
  expect(await readToldOfFiles(server, bySopInstance)).toEqual(expected);
});

test('blobs of Azurite are those of the folder', needs('the Azure server Azurite (azurite-blob)'), async () => {
  const folder = writeStudy();
  const expected = await readLocal(folder);
  const port = await findFreePort();
  const key = randomBytes(32).toString('base64');
  const place = ['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', createTempFolder()];
  const azurite = spawn('azurite-blob', [...place, '--silent', '--skipApiVersionCheck', '--disableTelemetry'], {
    stdio: 'ignore',
    env: { ...process.env, AZURITE_ACCOUNTS: `images:${key}` },
  });
  onTestFinished(async () => {
    azurite.kill();
    await once(azurite, 'close');
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const put = (path: string, query: Readonly<Record<string, string>>, body?: Uint8Array<ArrayBuffer>) =>
    putToAzure({ endpoint, path, query, key, body }).catch(() => undefined);
  for (let tries = 0; (await put('/images/study', { restype: 'container' }))?.status !== 201; tries += 1) {
    if (tries === 300) throw new Error('Azurite does not answer');
    await delay(100);
  }
  for (const name of readdirSync(folder)) {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    expect((await put(`/images/study/a%20%2B%20b/${encodeURIComponent(name)}`, {}, bytes))?.status).toBe(201);
  }
  vi.stubEnv('AZURE_STORAGE_ACCOUNT', 'images');
  vi.stubEnv('AZURE_STORAGE_KEY', key);
  onTestFinished(() => void vi.unstubAllEnvs());

  const server = await serveWith({ inputs: ['az://images/study/a + b/'], remote: { endpoint } });

  expect(server.errors).toEqual([]);
  expect([...server.catalog.skippedByReason()]).toEqual([]);
  expect(await readToldOfFiles(server, bySopInstance)).toEqual(expected);
  vi.stubEnv('AZURE_STORAGE_KEY', randomBytes(32).toString('base64'));
  const denied = await serveWith({ inputs: ['az://images/study/a + b/'], remote: { endpoint } });
  expect([...denied.catalog.skippedByReason()]).toEqual([['origin_denied', 1]]);
});

type AzurePut = {
  readonly endpoint: string;
  /** Begins with the account. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly key: string;
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
};

/** Creates a container or a blob, signed with the key of the account. The product only reads. */
function putToAzure({ endpoint, path, query, key, body }: AzurePut): Promise<Response> {
  const own: Record<string, string> = {
    ...(body && { 'x-ms-blob-type': 'BlockBlob' }),
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': '2021-12-02',
  };
  const length = body === undefined ? '' : String(body.length);
  const headers = Object.entries(own).map(([name, value]) => `${name}:${value}`);
  const account = path.split('/')[1] ?? '';
  const resource = [`/${account}${path}`, ...Object.entries(query).map(([name, value]) => `${name}:${value}`)];
  // Between the length and the headers are eight that are not sent: Content-MD5 to Range.
  const lines = ['PUT', '', '', length, '', '', '', '', '', '', '', '', ...headers, ...resource];
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(lines.join('\n')).digest('base64');
  return fetch(`${endpoint}${path}?${new URLSearchParams(query)}`, {
    method: 'PUT',
    headers: { ...own, Authorization: `SharedKey ${account}:${signature}` },
    ...(body && { body }),
  });
}

test('instances of Orthanc are those of the folder', needs('Orthanc with its DICOMweb plugin'), async () => {
  const folder = writeStudy();
  const expected = await readLocal(folder);
  const orthanc = await startOrthanc(createTempFolder(), { dicomweb: true });
  if (orthanc === undefined) throw new Error('Orthanc is not installed');
  onTestFinished(() => orthanc.close());
  for (const name of readdirSync(folder)) await orthanc.store(join(folder, name));

  const server = await serveWith({ inputs: [`dicomweb+${orthanc.baseUrl}/dicom-web`], remote: {} });

  expect(server.errors).toEqual([]);
  expect([...server.catalog.skippedByReason()]).toEqual([]);
  // Images of one frame are listed by the metadata of their series, except for the first instance.
  expect(server.catalog.readLater.length).toBeGreaterThanOrEqual(3);
  expect(server.catalog.gone.files.size).toBe(0);
  expect(await readToldOfFiles(server, bySopInstance)).toEqual(expected);
});
