import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { serveRemote } from '../../src/server/bytes/origins/remote/serveRemote.ts';
import { createAsker, createThreadLink } from '../../src/server/machine/workers/threadLink.ts';
import { ctElements } from '../support/ctElements.ts';
import { type Fault, serveObjects } from '../support/objectServer.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SECRET = 'c4n4ry';

function writeImages(count: number): string {
  const folder = createTempFolder();
  for (let number = 0; number < count; number++) {
    writeBelow(folder, `a/${number}.dcm`, writeDicom(ctElements({ SOPInstanceUID: `2.25.${number + 1}` })));
  }
  return folder;
}

test('secrets of an address reach its server and nothing else', async () => {
  const folder = createTempFolder();
  // The frame is longer than the first part of the file, which the answers before have read.
  const pixels = { Rows: 256, Columns: 256, PixelData: new Uint16Array(256 * 256) };
  writeBelow(folder, 'a/0.dcm', writeDicom(ctElements(pixels)));
  const objects = await serveObjects(folder);
  const [scheme, host] = objects.url.split('//');
  const input = `${scheme}//user:${SECRET}@${host}/web/a/0.dcm?X-Amz-Signature=${SECRET}`;
  const away = `${scheme}//user:${SECRET}@${host}/nowhere/x.dcm?X-Amz-Signature=${SECRET}`;
  const server = await serveWith({ inputs: [input, away], remote: {} });

  const told: string[] = [];
  for (const path of ['files', 'series', 'health?detail=decode', 'file/0/info', 'file/0/tags']) {
    const response = await server.request(`/api/${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    told.push(JSON.stringify([...response.headers]), Buffer.from(await response.bytes()).toString('latin1'));
  }
  rmSync(join(folder, 'a/0.dcm'));
  const gone = await server.request('/api/file/0/frame/0/raw');
  expect(gone.status).toBe(404);
  told.push(JSON.stringify([...gone.headers]), await gone.text(), JSON.stringify(server.errors));

  expect(told.filter((text) => text.includes(SECRET))).toEqual([]);
  expect(told[1]).toContain(`${objects.url}/web/a/0.dcm`);
  expect(server.catalog.skippedByReason()).toEqual(new Map([['input_path_unavailable', 1]]));
  const authorization = `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`;
  expect(objects.requests[0]?.headers).toMatchObject({ authorization });
  expect(objects.requests.some(({ headers }) => headers.referer !== undefined)).toBe(false);
});

test('a place that refuses or fails is listed with the reason, and files of this machine are shown', async () => {
  const answers: Readonly<Record<string, number>> = { '/denied/': 403, '/away/': 500, '/none/': 404 };
  const fault: Fault = (request, response) => {
    const status = answers[(request.url ?? '').split('?')[0] ?? ''];
    if (status === undefined) return undefined;
    response.writeHead(status).end();
    return true;
  };
  const folder = writeImages(2);
  const objects = await serveObjects(folder, { fault });
  const inputs = ['s3://denied/', 's3://away/', 's3://none/', folder];

  const server = await serveWith({ inputs, remote: { endpoint: objects.url, anonymous: true } });

  expect(server.catalog.files).toHaveLength(2);
  expect(server.catalog.skippedByReason()).toEqual(
    new Map([
      ['origin_denied', 1],
      ['origin_failed', 1],
      ['input_path_unavailable', 1],
    ]),
  );
  // The user is told why.
  expect(server.errors).toEqual([
    expect.stringMatching(/^s3:\/\/denied\/ refused the request \(403\); it needs keys .*AWS_PROFILE/),
    's3://away/ failed (500)',
    's3://none/ does not have the object (404)',
  ]);
});

test.each([
  ['s3://place/', 403, 'InvalidAccessKeyId', '', /the keys are not known there: check AWS_PROFILE/],
  ['s3://place/', 403, 'SignatureDoesNotMatch', '', /AWS_SECRET_ACCESS_KEY/],
  ['s3://place/', 400, 'ExpiredToken', '', /aws configure export-credentials/],
  [
    's3://place/',
    400,
    'AuthorizationHeaderMalformed',
    '<Region>eu-west-3</Region>',
    /--region eu-west-3 or AWS_REGION$/,
  ],
  // Only what looks like a region is repeated.
  ['s3://place/', 400, 'AuthorizationHeaderMalformed', '<Region>eu;rm -rf</Region>', /use --region or AWS_REGION$/],
  ['s3://place/', 404, 'NoSuchBucket', '', /there is no such bucket/],
  ['gs://place/', 403, 'AccessDenied', '', /GOOGLE_APPLICATION_CREDENTIALS/],
  ['az://account/place/', 403, 'AuthenticationFailed', '', /AZURE_STORAGE_SAS_TOKEN/],
  ['az://account/place/', 404, 'ContainerNotFound', '', /az:\/\/ACCOUNT\/CONTAINER/],
])('%s that answers %i %s %s says what to do', async (input, status, code, more, advice) => {
  const fault: Fault = (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<Error><Code>${code}</Code>${more}</Error>`);
    return true;
  };
  const objects = await serveObjects(writeImages(1), { fault });

  const server = await serveWith({ inputs: [input], remote: { endpoint: objects.url, anonymous: true } });

  expect(server.errors).toEqual([expect.stringMatching(advice)]);
});

test('an endpoint where no server listens, and an unknown profile, say what to check', async () => {
  const endpoint = 'http://127.0.0.1:9';
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
  onTestFinished(() => void vi.unstubAllEnvs());

  const away = await serveWith({ inputs: ['s3://place/'], remote: { endpoint, anonymous: true } });
  vi.stubEnv('AWS_PROFILE', 'work');
  const environment = await serveWith({ inputs: ['s3://place/'], remote: { endpoint } });
  const named = await serveWith({ inputs: ['s3://place/'], remote: { endpoint, profile: 'home' } });

  expect(away.errors).toEqual([
    's3://place/: ECONNREFUSED; no server listens at http://127.0.0.1:9: ' +
      'check --endpoint, AWS_ENDPOINT_URL and the endpoint_url of the profile',
  ]);
  expect(environment.errors).toEqual([
    expect.stringMatching(/has no profile work: check AWS_PROFILE and the names in .*AWS_CONFIG_FILE/),
  ]);
  expect(named.errors).toEqual([expect.stringMatching(/has no profile home: check --profile and the names in/)]);
});

test('while the objects of a page are read, the next page of the listing is requested, and no more', async () => {
  const objects = await serveObjects(writeImages(6), { pageSize: 2 });
  const input = 's3://bucket/a/';
  const { asking, answering } = createThreadLink();
  onTestFinished(() => asking.port.close());
  const connect = serveRemote(
    {
      inputs: [input],
      firstOrigin: 0,
      requests: 16,
      maxObjects: 100,
      cacheBytes: 2 ** 24,
      cacheFolder: undefined,
      cacheFolderBytes: 0,
      anonymous: true,
      profile: undefined,
      endpoint: objects.url,
      region: undefined,
      bearerCommand: undefined,
    },
    () => undefined,
  );
  connect(answering);

  const first = await createAsker(asking).ask({ kind: 'list', input, recursive: true, isFirst: true });

  expect(first).toMatchObject({ page: { entries: [{ key: 'a/0.dcm' }, { key: 'a/1.dcm' }], done: false } });
  // Two listings, and the beginnings of the four objects that they name.
  await expect.poll(() => objects.requests.length).toBe(2 + 4);
  expect(objects.requests.filter(({ url }) => url.includes('list-type'))).toHaveLength(2);
});

test('many objects are read at the same time, each once, in the order of the listing', async () => {
  const folder = writeImages(120);
  const objects = await serveObjects(folder, { delayMs: 5, pageSize: 50 });

  const server = await serveWith({ inputs: ['s3://bucket/a'], remote: { endpoint: objects.url, requests: 32 } });

  const names = server.catalog.files.map(({ path }) => path);
  expect(names).toHaveLength(120);
  expect(names).toEqual(names.toSorted());
  // One request finds out that `a` is no object, three list, and one reads each header.
  expect(objects.requests).toHaveLength(1 + 3 + 120);
  expect(objects.mostAtOnce()).toBeGreaterThan(8);
  expect(objects.mostAtOnce()).toBeLessThanOrEqual(32);
});

test('an archive on another machine is listed as an archive that is not opened', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeDicom(ctElements()));
  writeBelow(folder, 'study.zip', 'PK\u0003\u0004');
  writeBelow(folder, 'notes.txt', 'no DICOM');
  const storage = await serveObjects(folder);

  const server = await serveWith({ inputs: [`${storage.url}/web/`], remote: {} });

  expect(server.catalog.files).toHaveLength(1);
  expect(Object.fromEntries(server.catalog.skippedByReason())).toEqual({ archive_unsupported: 1, not_dicom: 1 });
});
