import { Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint } from '../../src/shared/contract/endpoints.ts';
import {
  EVERY_REQUEST,
  optionsOfRequest,
  writeEveryAttachment,
  writeEveryFile,
  writeFullCt,
} from '../support/everyEndpoint.ts';
import { serveFakeAssistant } from '../support/fakeAssistant.ts';
import { pretendPage } from '../support/pretendPage.ts';
import { reviewSettings } from '../support/reviewSettings.ts';
import { serve, serveWith } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

test('every endpoint responds with the media type, the headers and exactly the keys of the table', async () => {
  const assistant = await serveFakeAssistant();
  const server = await serveWith({
    inputs: [...writeEveryFile(), writeEveryAttachment()],
    review: reviewSettings(),
    assistants: [assistant.address],
  });
  await pretendPage(server);
  const { ticket } = await (await server.request(EVERY_REQUEST.issueTicket, { method: 'POST' })).json();
  // Two marks are deleted: this one, and that of the loop.
  await server.request(EVERY_REQUEST.createMark, optionsOfRequest('createMark'));

  for (const name of ENDPOINT_NAMES) {
    const endpoint: Endpoint = ENDPOINTS[name];
    const response = await server.request(EVERY_REQUEST[name], optionsOfRequest(name, ticket, assistant));

    const expected = (endpoint.headers ?? []).map((header) => header.toLowerCase());
    expect({
      name,
      status: response.status,
      mediaType: response.headers.get('content-type'),
      caching: response.headers.get('cache-control'),
      instance: response.headers.get('x-server-instance'),
      missingHeaders: expected.filter((header) => !response.headers.has(header)),
      bodyErrors: await checkBody(response, endpoint),
    }).toEqual({
      name,
      status: endpoint.status ?? 200,
      mediaType: endpoint.mediaType,
      caching: 'no-store',
      instance: String(server.server.startedAtMs),
      missingHeaders: [],
      bodyErrors: [],
    });
  }
});

async function checkBody(response: Response, { response: schema }: Endpoint): Promise<object[]> {
  if (schema !== undefined) return Errors(strictSchema(schema), await response.json());
  await response.body?.cancel();
  return [];
}

test('every endpoint that accepts GET responds to HEAD in the same way, without a body', async () => {
  const server = await serveWith({ inputs: [...writeEveryFile(), writeEveryAttachment()], review: reviewSettings() });

  await server.request(EVERY_REQUEST.createMark, optionsOfRequest('createMark'));
  for (const name of ENDPOINT_NAMES.filter((each) => ENDPOINTS[each].method === 'GET')) {
    const response = await server.request(EVERY_REQUEST[name], { method: 'HEAD' });

    const mediaType = response.headers.get('content-type');
    expect({ name, status: response.status, mediaType, body: await response.text() }).toEqual({
      name,
      status: 200,
      mediaType: ENDPOINTS[name].mediaType,
      body: '',
    });
  }
});

test('info has the values of the attributes of the file', async () => {
  const server = await serve(writeFullCt());

  const info = await (await server.request('/api/file/0/info')).json();

  expect(info).toEqual({
    frame_count: 1,
    rows: 2,
    columns: 2,
    transfer_syntax_uid: '1.2.840.10008.1.2.1',
    has_pixels: true,
    sop_class_uid: '1.2.840.10008.5.1.4.1.1.2',
    object_kind: 'classic_image',
    support_state: 'renderable',
    support_reason: null,
    default_window: { center: 40, width: 400 },
    samples_per_pixel: 1,
    bits_allocated: 16,
    bits_stored: 12,
    high_bit: 11,
    pixel_representation: 0,
    photometric_interpretation: 'MONOCHROME2',
    planar_configuration: null,
    pixel_aspect_ratio: 1,
    pixel_spacing_mm: [0.5, 0.5],
    rescale: { slope: 1, intercept: -1024, type: 'HU' },
    windows: [
      { center: 40, width: 400, explanation: 'SOFT' },
      { center: 300, width: 1500, explanation: 'BONE' },
    ],
    voi_lut_function: 'LINEAR',
    frame_time_ms: null,
    lossy: false,
    warnings: [],
  });
});

test('the OpenAPI document has every endpoint, and all its references resolve', async () => {
  const server = await serve(writeFullCt());

  const document = await (await server.request('/api/openapi.json')).json();

  const paths: Record<string, Record<string, { operationId: string }>> = document.paths;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(new Set(operations.map((operation) => operation.operationId))).toEqual(new Set(ENDPOINT_NAMES));
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(references).toContain('TagNode');
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(references));
  expect(JSON.stringify(document)).not.toMatch(/"\$(defs|id)"/);
});

test('the OpenAPI document is compressed for clients that accept it, with the same content', async () => {
  const server = await serve(writeFullCt());
  const ask = (encoding: string) => server.request('/api/openapi.json', { headers: { 'Accept-Encoding': encoding } });

  const [plain, compressed] = [await ask('identity'), await ask('gzip')];

  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  for (const { headers } of [plain, compressed]) expect(headers.get('vary')).toBe('Accept-Encoding');
  const text = await plain.text();
  expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(await compressed.text()).toBe(text);
});
