import { rename, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errorStatus.ts';
import { TaskTimeout, WorkerDied } from '../../src/server/machine/workers/taskErrors.ts';
import { serve, serveWith } from '../support/serve.ts';

function writeReport(): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: '1.2.826.0.1.3680043.10.2.1',
    Modality: 'SR',
    PatientID: 'P1',
  });
}

/** Status and body. The body must be the contract's error and nothing else. */
async function failureOf(response: Response): Promise<{ status: number; code: string; error: string }> {
  expect(response.headers.get('content-type')).toBe('application/json');
  const body = await response.json();
  expect(Object.keys(body)).toEqual(['code', 'error']);
  expect(ERROR_STATUS).toHaveProperty(body.code, response.status);
  return { status: response.status, ...body };
}

const REFUSED = [
  ['/api', 404, 'route_not_found'],
  ['/api/', 404, 'route_not_found'],
  ['/api/nothing', 404, 'route_not_found'],
  ['/api/health/', 404, 'route_not_found'],
  ['/api/Health', 404, 'route_not_found'],
  ['/api/file/0', 404, 'route_not_found'],
  ['/api/file//info', 404, 'route_not_found'],
  ['/api/file/x/info', 400, 'invalid_path'],
  ['/api/file/-1/info', 400, 'invalid_path'],
  ['/api/file/1.0/info', 400, 'invalid_path'],
  ['/api/file/0x0/info', 400, 'invalid_path'],
  ['/api/file/+0/info', 400, 'invalid_path'],
  ['/api/file/1234567890/info', 404, 'not_found'],
  ['/api/file/123456789012345678901234567890/info', 404, 'not_found'],
  ['/api/file/1/info', 404, 'not_found'],
  ['/api/file/999999999/tags', 404, 'not_found'],
  ['/api/file/x/tags?depth=x', 400, 'invalid_path'],
  ['/api/file/9/tags?depth=x', 400, 'invalid_query'],
  ['/api/file/0/tags?depth=0', 400, 'invalid_query'],
  ['/api/file/0/tags?depth=9', 400, 'invalid_query'],
  ['/api/file/0/tags?depth=', 400, 'invalid_query'],
  ['/api/file/0/tags?depth=2&depth=2', 400, 'invalid_query'],
  ['/api/file/0/tags?items=257', 400, 'invalid_query'],
  ['/api/file/0/tags?items=1e2', 400, 'invalid_query'],
  ['/api/file/0/tags/select', 400, 'invalid_query'],
  ['/api/file/0/tags/select?path=', 400, 'invalid_query'],
  ['/api/file/0/tags/select?path=(0010,0020)&limit=0', 400, 'invalid_query'],
  ['/api/file/0/tags/select?path=(0010,0020)&offset=-1', 400, 'invalid_query'],
  ['/api/file/0/tags/select?path=nonsense', 400, 'invalid_query'],
  ['/api/file/0/tags/select?path=(0011,0020)', 404, 'tag_not_found'],
  ['/api/files?since=-1', 400, 'invalid_query'],
  ['/api/files?since=1.5', 400, 'invalid_query'],
  ['/api/files?limit=0', 400, 'invalid_query'],
  ['/api/files?limit=ten', 400, 'invalid_query'],
  ['/assets/missing.js', 404, 'asset_not_found'],
  ['/favicon.ico', 404, 'asset_not_found'],
  ['/index.html', 404, 'asset_not_found'],
  ['/apifoo', 404, 'asset_not_found'],
] as const;

test('an invalid address or query is refused with its code', async () => {
  const server = await serve(writeReport());

  for (const [path, status, code] of REFUSED) {
    expect({ path, ...(await failureOf(await server.request(path))) }).toMatchObject({ path, status, code });
  }
});

test('a refused query names the parameter and its allowed values', async () => {
  const server = await serve(writeReport());

  expect(await failureOf(await server.request('/api/file/0/tags?depth=9'))).toMatchObject({
    error: 'depth must be a whole number from 1 to 8',
  });
});

test('parameters that no schema names are ignored', async () => {
  const server = await serve(writeReport());

  expect((await server.request('/api/files?unknown=1&unknown=2')).status).toBe(200);
});

const NOT_ALLOWED = [
  ['POST', '/api/health', 'GET, HEAD'],
  ['DELETE', '/api/files', 'GET, HEAD'],
  ['PUT', '/api/file/0/info', 'GET, HEAD'],
  ['PATCH', '/api/file/0/tags', 'GET, HEAD'],
  ['OPTIONS', '/api/files', 'GET, HEAD'],
  ['DELETE', '/api/file/0/annotations', 'GET, HEAD, PUT'],
  ['POST', '/', 'GET, HEAD'],
  ['OPTIONS', '/', 'GET, HEAD'],
] as const;

test('a response to a method that an address does not have lists the ones that it has', async () => {
  const server = await serve(writeReport());

  for (const [method, path, allow] of NOT_ALLOWED) {
    const response = await server.request(path, { method });

    const failure = { path, allow: response.headers.get('allow'), ...(await failureOf(response)) };
    expect(failure).toMatchObject({ path, allow, status: 405, code: 'method_not_allowed' });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('an unknown address has no allowed methods', async () => {
  const server = await serve(writeReport());

  const response = await server.request('/api/nothing', { method: 'POST' });

  expect(await failureOf(response)).toMatchObject({ status: 404, code: 'route_not_found' });
  expect(response.headers.has('allow')).toBe(false);
});

test('an exception inside a route is hidden from the client and logged in full', async () => {
  const cause = new TypeError('cannot read Doe^Jane of /home/jane/scan.dcm');
  const server = await serveWith({ inputs: [writeReport()], domains: { tasks: { run: () => Promise.reject(cause) } } });

  const failure = await failureOf(await server.request('/api/file/0/info'));

  expect(failure).toEqual({ status: 500, code: 'internal_error', error: 'internal error, see the server log' });
  expect(server.errors).toEqual([cause]);
});

test.each([
  ['takes too long', new TaskTimeout('ended after 10000 ms')],
  ['ends its thread', new WorkerDied('the worker exited with code 1')],
])('a file whose reading %s is a file that cannot be read', async (_, cause) => {
  const server = await serveWith({ inputs: [writeReport()], domains: { tasks: { run: () => Promise.reject(cause) } } });

  for (const path of ['info', 'tags']) {
    const failure = await failureOf(await server.request(`/api/file/0/${path}`));
    expect(failure).toMatchObject({ status: 500, code: 'file_read_failed' });
  }
});

describe('a file that has changed since the scan', () => {
  test('is gone if it was removed', async () => {
    const server = await serve(writeReport());
    await rm(server.catalog.get(0).path);

    expect(await failureOf(await server.request('/api/file/0/info'))).toMatchObject({ status: 404, code: 'file_gone' });
    expect(await failureOf(await server.request('/api/file/0/tags'))).toMatchObject({ status: 404, code: 'file_gone' });
  });

  test('is gone if another file has its path', async () => {
    const server = await serve(writeReport());
    const { path } = server.catalog.get(0);
    await writeFile(`${path}.new`, writeReport());
    await rename(`${path}.new`, path);

    const select = '/api/file/0/tags/select?path=(0010,0020)';
    expect(await failureOf(await server.request(select))).toMatchObject({ status: 404, code: 'file_gone' });
  });
});
