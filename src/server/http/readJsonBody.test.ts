import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { ViewerError } from '../../shared/contract/errors.ts';
import { readJsonBody } from './readJsonBody.ts';

/** What a route would get: the text, or the code of the error. */
async function read(body: BodyInit, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  let result: unknown;
  const app = new Hono();
  app.put('/', async (c) => {
    result = await readJsonBody(c, 1000).then(
      (bytes) => new TextDecoder().decode(bytes),
      (error: unknown) => (error instanceof ViewerError ? error.code : error),
    );
    return c.text('');
  });
  await app.request('/', {
    method: 'PUT',
    body,
    headers,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  });
  return result;
}

test('a JSON body is read', async () => {
  expect(await read('{"a":[1,"ä",null]}')).toBe('{"a":[1,"ä",null]}');
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
  'the media type %s is JSON',
  async (type) => {
    expect(await read('1', { 'Content-Type': type })).toBe('1');
  },
);

test.each(['text/plain', 'application/jsonp', 'application/json; charset=latin1', 'multipart/form-data', ''])(
  'the media type %s is not',
  async (type) => {
    expect(await read('1', { 'Content-Type': type })).toBe('unsupported_media_type');
  },
);

test('a compressed body is refused, because its size is not known', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  expect(await read('1', headers)).toBe('unsupported_media_type');
});

describe('the size of a body', () => {
  test('may reach the limit', async () => {
    expect(await read(`"${'x'.repeat(998)}"`)).toBe(`"${'x'.repeat(998)}"`);
  });

  test('is refused beyond it', async () => {
    expect(await read(`"${'x'.repeat(999)}"`)).toBe('payload_too_large');
  });

  test('is counted if no length is declared', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(100).fill(32));
      },
    });
    expect(await read(endless)).toBe('payload_too_large');
    expect(pulled).toBeLessThan(15);
  });
});
