import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { findTag } from '../../src/server/standard/dicom/dictionary.ts';
import { pathOfTag } from '../../src/server/standard/dicom/elementPath.ts';
import { listIndexColumns, USUAL_TAGS } from '../../src/server/images/catalog/indexColumns.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serveDicomwebStandIn } from '../support/dicomwebServer.ts';
import { type ObjectServer, serveObjects } from '../support/objectServer.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato, startNegato } from './negatoProcess.ts';

const FILES = 150;

/** More files than are expected at a time. Some have elements after a long value, for which a second range is read. */
function writeStudy(): string {
  const folder = createTempFolder();
  const long = { '00091010': { vr: 'OB', value: new Uint8Array(100_000) }, ProtocolName: 'after a long value' };
  for (let number = 0; number < FILES; number += 1) {
    const own = { SOPInstanceUID: `2.25.${number}`, PixelData: Uint16Array.of(number, 1, 2, 3, 4, 5) };
    const elements = ctElements({ ...own, ...(number % 10 === 0 && long) });
    writeBelow(folder, `${number % 3}/${String(number).padStart(3, '0')}.dcm`, writeDicom(elements));
  }
  writeBelow(folder, 'notes.txt', 'This is no DICOM file.');
  return folder;
}

async function runIndex(...words: readonly string[]) {
  const { exit, output } = await runNegato(['index', ...words]);
  return { code: (await exit).code, ...output };
}

async function readRows(path: string): Promise<Record<string, unknown>[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) });
}

/** What a row says of the file, not of its place. */
function contentOf(row: Record<string, unknown>, root: string) {
  const { real_path: _, file_dev: _dev, file_ino: _ino, file_mtime_ms: _mtime, path, ...content } = row;
  return { ...content, path: String(path).replace(root, '') };
}

function keysOf({ requests }: ObjectServer): string[] {
  return requests.flatMap(({ url }) => (/^\/(?:bucket|web)\/[^?]+[^/]$/.test(url) ? [url] : []));
}

test('the index of a bucket has the rows of the index of the folder, in the same order, and its objects are read many at a time', async () => {
  const folder = writeStudy();
  const objects = await serveObjects(folder, { pageSize: 40, delayMs: 200 });
  const [local, bucket] = ['local', 'bucket'].map((name) => join(createTempFolder(), `${name}.parquet`));
  await runIndex(folder, '--out', local!);
  const { code, stdout, stderr } = await runIndex('s3://bucket/', '--endpoint', objects.url, '--out', bucket!);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`${FILES} DICOM files; 1 skipped: 1 not DICOM`);
  expect((await readRows(bucket!)).map((row) => contentOf(row, 's3://bucket/'))).toEqual(
    (await readRows(local!)).map((row) => contentOf(row, `${folder}/`)),
  );
  expect(objects.mostAtOnce()).toBeGreaterThan(32);
});

test('two shards have all rows together, and each object is requested by one of them only', async () => {
  const folder = writeStudy();
  const paths: unknown[] = [];
  const requested: Set<string>[] = [];
  for (const shard of ['1/2', '2/2']) {
    const objects = await serveObjects(folder);
    const out = join(createTempFolder(), 'index.parquet');
    await runIndex('s3://bucket/', '--endpoint', objects.url, '--out', out, '--shard', shard);
    paths.push(...(await readRows(out)).map(({ path }) => path));
    requested.push(new Set(keysOf(objects)));
  }

  expect(new Set(paths).size).toBe(FILES);
  expect(paths).toHaveLength(FILES);
  const [first, second] = requested;
  expect(first!.size).toBeGreaterThan(0);
  expect(second!.size).toBeGreaterThan(0);
  expect([...first!].filter((key) => second!.has(key))).toEqual([]);
  // The other one is the text.
  expect(first!.size + second!.size).toBe(FILES + 1);
});

test.each([
  ['object storage', () => 's3://bucket/'],
  ['a web server', ({ url }: ObjectServer) => `${url}/web/`],
])('an index of %s opens without a scan if its address is named', async (_, addressOf) => {
  const folder = writeStudy();
  const objects = await serveObjects(folder);
  const out = join(createTempFolder(), 'index.parquet');
  const address = addressOf(objects);
  const remote = ['--endpoint', objects.url];
  await runIndex(address, ...remote, '--out', out);
  const before = objects.requests.length;
  const where = ['--index', out, '--where', "path like '%/1/%'"];
  // Another address comes first, so that the number of the place is not that of the run that wrote the index.
  const opened = await startNegato([...where, `${objects.url}/web/0/000.dcm`, address, ...remote]);
  await opened.waitFor('stdout', /50 DICOM files/);
  expect(objects.requests).toHaveLength(before);

  const local = await startNegato([join(folder, '1')]);
  await local.waitFor('stdout', /50 DICOM files/);
  const [ours, theirs] = await Promise.all(
    [opened, local].map(async ({ started }) => {
      const headers = { Authorization: `Bearer ${started.token}` };
      const { files }: FilesResponse = await (await fetch(`${started.base_url}/api/files`, { headers })).json();
      const { index } = files.find((file) => file.path.endsWith('/1/031.dcm'))!;
      const frame = await fetch(`${started.base_url}/api/file/${index}/frame/0/raw`, { headers });
      return { status: frame.status, bytes: Buffer.from(await frame.arrayBuffer()).toString('hex') };
    }),
  );
  expect(ours).toEqual(theirs);
  expect(ours!.status).toBe(200);
  expect(keysOf(objects).at(-1)).toMatch(/\/1\/031\.dcm$/);
});

test.each(['sized', 'alone'] as const)(
  'an index of a DICOMweb server opens if its address is named (%s)',
  async (form) => {
    const uids = { study: '2.25.1', series: '2.25.2' };
    const instances = Array.from({ length: 20 }, (_, number) => {
      const own = { SOPInstanceUID: `2.25.3.${number}`, PixelData: Uint16Array.of(number, 1, 2, 3, 4, 5) };
      const elements = ctElements({ StudyInstanceUID: uids.study, SeriesInstanceUID: uids.series, ...own });
      return { ...uids, instance: own.SOPInstanceUID, bytes: writeDicom(elements), samples: own.PixelData };
    });
    const server = await serveDicomwebStandIn(() => instances, { form });
    const address = `dicomweb+${server.url}`;
    const out = join(createTempFolder(), 'index.parquet');
    expect(await runIndex(address, '--out', out)).toMatchObject({ code: 0, stderr: '' });
    const before = server.requests.length;
    const { started, waitFor } = await startNegato(['--index', out, address]);
    await waitFor('stdout', /20 DICOM files/);
    expect(server.requests).toHaveLength(before);

    const headers = { Authorization: `Bearer ${started.token}` };
    const { files }: FilesResponse = await (await fetch(`${started.base_url}/api/files`, { headers })).json();
    const { index } = files.find((file) => file.sop_instance_uid === '2.25.3.7')!;
    const frame = await fetch(`${started.base_url}/api/file/${index}/frame/0/raw`, { headers });
    expect(new Uint16Array(await frame.arrayBuffer())).toEqual(instances[7]!.samples);
  },
);

test('nothing is requested from addresses that an index has and the command does not name', async () => {
  const folder = writeStudy();
  const objects = await serveObjects(folder);
  const out = join(createTempFolder(), 'index.parquet');
  await runIndex('s3://bucket/', '--endpoint', objects.url, '--out', out);
  const before = objects.requests.length;

  const alone = await startNegato(['--index', out, '--endpoint', objects.url]);
  await alone.waitFor('stderr', /150 files of the index are not shown: .* such as s3:\/\/bucket\/0\/000\.dcm/);
  const part = await startNegato(['--index', out, '--endpoint', objects.url, 's3://bucket/1', 's3://other/']);
  await part.waitFor('stderr', /100 files of the index are not shown/);
  await part.waitFor('stdout', /50 DICOM files/);
  expect(objects.requests).toHaveLength(before);
});

test('an index that says that another object is at a named address does not reach it', async () => {
  const objects = await serveObjects(writeStudy());
  const out = join(createTempFolder(), 'index.parquet');
  await runIndex('s3://bucket/1/', '--endpoint', objects.url, '--out', out);
  const rows = await readRows(out);
  const columnData = listIndexColumns(USUAL_TAGS.map((keyword) => pathOfTag(findTag(keyword)!))).map(
    ({ name, type }) => ({
      name,
      type,
      data: rows.map((row) => (name === 'real_path' ? String(row[name]).replace('"key":"1/', '"key":"2/') : row[name])),
    }),
  );
  writeFileSync(out, Buffer.from(parquetWriteBuffer({ columnData })));
  const before = objects.requests.length;
  const { started, waitFor } = await startNegato(['--index', out, 's3://bucket/1/', '--endpoint', objects.url]);
  await waitFor('stdout', /50 DICOM files/);

  const headers = { Authorization: `Bearer ${started.token}` };
  const frame = await fetch(`${started.base_url}/api/file/0/frame/0/raw`, { headers });
  expect(await frame.json()).toMatchObject({ code: 'origin_denied' });
  expect(objects.requests).toHaveLength(before);
});

test('a place that cannot be listed has no table, and the command says why', async () => {
  const folder = writeStudy();
  const out = join(createTempFolder(), 'index.parquet');
  const refusing = await serveObjects(folder, {
    fault: ({ url = '' }, response) => {
      if (!url.includes('continuation-token')) return undefined;
      response.writeHead(403).end();
      return true;
    },
    pageSize: 100,
  });
  const refused = await runIndex('s3://bucket/', '--endpoint', refusing.url, '--out', out);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('s3://bucket/ cannot be listed: its server refuses it');

  const empty = await runIndex('s3://bucket/none/', '--endpoint', refusing.url, '--out', out);
  expect(empty.code).toBe(1);
  expect(empty.stderr).toContain('s3://bucket/none/ has no files');
  expect(() => readFileSync(out)).toThrow('ENOENT');
});

test('an object that its server does not send is counted with the reason', async () => {
  const objects = await serveObjects(writeStudy(), {
    fault: ({ url = '' }, response) => {
      if (!url.endsWith('/007.dcm')) return undefined;
      response.writeHead(403).end();
      return true;
    },
  });
  const out = join(createTempFolder(), 'index.parquet');
  const { code, stdout } = await runIndex('s3://bucket/', '--endpoint', objects.url, '--out', out);
  expect(code).toBe(0);
  expect(stdout).toContain(`${FILES - 1} DICOM files; 2 skipped: 1 refused by their server, 1 not DICOM`);
});
