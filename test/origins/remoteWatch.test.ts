import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serveDicomwebStandIn, type StoredInstance } from '../support/dicomwebServer.ts';
import { type Fault, serveObjects } from '../support/objectServer.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { until } from '../support/until.ts';

const writeImage = (number: number, comment = '') =>
  writeDicom(
    ctElements({ SOPInstanceUID: `2.25.${number}`, InstanceNumber: String(number), PatientComments: comment }),
  );

/** Other machines report nothing, so that they are looked at, here every 50 ms. */
const WATCH = { catalog: { watch: { pollMs: 50 } }, remote: { anonymous: true } };

/** Instance numbers of the files that are there, in the order of the list. */
function numbersOf({ catalog }: TestServer): string[] {
  return catalog.files
    .filter(({ index }) => !catalog.gone.files.has(index))
    .map(({ instanceNumber }) => instanceNumber);
}

async function untilNumbers(server: TestServer, numbers: readonly string[]): Promise<void> {
  await until(() => numbersOf(server).join() === numbers.join());
}

function createImages(): { folder: string; write: (number: number, comment?: string) => void } {
  const folder = createTempFolder();
  const write = (number: number, comment?: string) =>
    writeFileSync(join(folder, `${number}.dcm`), writeImage(number, comment));
  write(1);
  write(2);
  return { folder, write };
}

describe('objects of a bucket', () => {
  const inputs = ['s3://bucket/'];

  test('that are new, replaced or removed are shown so', async () => {
    const { folder, write } = createImages();
    writeFileSync(join(folder, 'notes.txt'), 'not DICOM');
    const storage = await serveObjects(folder);
    const server = await serveWith({ inputs, ...WATCH, remote: { ...WATCH.remote, endpoint: storage.url } });
    expect(numbersOf(server)).toEqual(['1', '2']);

    write(3);
    await untilNumbers(server, ['1', '2', '3']);
    write(1, 'replaced');
    await untilNumbers(server, ['2', '3', '1']);
    rmSync(join(folder, '2.dcm'));
    await untilNumbers(server, ['3', '1']);

    expect([...server.catalog.gone.files]).toEqual([0, 1]);
    expect((await server.request('/api/file/2/frame/0/raw')).status).toBe(200);
    const { series } = await (await server.request('/api/series')).json();
    expect(series[0].stacks.flatMap(({ frames }: { frames: unknown[] }) => frames)).toHaveLength(2);
    // What is no DICOM file is listed once.
    expect(server.catalog.progress.skipped).toBe(1);
    expect(server.errors).toEqual([]);
    // Only listings and new objects were requested.
    const objects = storage.requests.filter(({ url }) => url.includes('.dcm')).map(({ url }) => url.split('?')[0]);
    expect(objects.filter((url) => url?.endsWith('/2.dcm'))).toHaveLength(1);
  });

  test('are all there after the storage could not be reached for a while', async () => {
    const { folder, write } = createImages();
    let isAway = false;
    const fault: Fault = (request) => {
      if (isAway) request.socket.destroy();
      return isAway || undefined;
    };
    const storage = await serveObjects(folder, { fault });
    const server = await serveWith({ inputs, ...WATCH, remote: { ...WATCH.remote, endpoint: storage.url } });

    isAway = true;
    const asked = storage.requests.length;
    await until(() => storage.requests.length > asked + 2);
    expect(numbersOf(server)).toEqual(['1', '2']);
    isAway = false;
    write(3);

    await untilNumbers(server, ['1', '2', '3']);
    expect([server.catalog.gone.files.size, server.errors]).toEqual([0, []]);
  });
});

test('a file of a web server that is still being written is not taken before it rests', async () => {
  const { folder, write } = createImages();
  const storage = await serveObjects(folder);
  const server = await serveWith({ inputs: [`${storage.url}/web/`], ...WATCH });
  const whole = writeImage(3);
  const path = join(folder, '3.dcm');
  for (let length = 1; length < 6; length += 1) {
    writeFileSync(path, whole.subarray(0, length * 50));
    const asked = storage.requests.filter(({ url }) => url.endsWith('/3.dcm')).length;
    await until(() => storage.requests.filter(({ url }) => url.endsWith('/3.dcm')).length > asked);
  }
  write(3);

  await untilNumbers(server, ['1', '2', '3']);
  expect(server.catalog.progress.skipped).toBe(0);
  rmSync(path);
  await untilNumbers(server, ['1', '2']);
});

const instance = (number: number): StoredInstance => {
  const uids = { study: '1.2.826.0.1.3680043.8.498.2', series: '1.2.826.0.1.3680043.8.498.3' };
  return { ...uids, instance: `2.25.${number}`, bytes: writeImage(number) };
};

test('instances that a DICOMweb server gets or loses are shown so', async () => {
  let stored = [1, 2, 3].map(instance);
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain' });
  const server = await serveWith({ inputs: [`dicomweb+${pacs.url}`], ...WATCH, remote: {} });
  expect(numbersOf(server)).toEqual(['1', '2', '3']);

  stored = [1, 3, 4].map(instance);

  await untilNumbers(server, ['1', '3', '4']);
  expect([...server.catalog.gone.files]).toEqual([1]);
});
