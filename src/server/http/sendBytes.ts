import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Admission } from '../memory/admission.ts';
import { type HeaderList, toHeadList } from './answer.ts';
import { createHoldAnswer } from './holdAnswer.ts';

/** Sends bytes without copying them, so they must no longer change; those of a cache, for example. */
export type SendBytes = (c: Context, bytes: Uint8Array, headers: HeaderList) => Promise<Response>;

export function createSendBytes(answers: Admission): SendBytes {
  const holdAnswer = createHoldAnswer(answers);
  return async (c, bytes, headers) => {
    const { outgoing }: HttpBindings = c.env;
    await holdAnswer(c, bytes.length);
    const all: HeaderList = [...headers, ['Content-Length', bytes.length]];
    // Hono derives its response to HEAD from the response returned here.
    if (c.req.method === 'HEAD')
      return c.body(null, 200, Object.fromEntries(all.map(([name, value]) => [name, String(value)])));
    // Bypasses the web `Response`, whose headers and body would be created, read and discarded for each frame.
    outgoing.writeHead(200, toHeadList(all));
    outgoing.end(bytes);
    return RESPONSE_ALREADY_SENT;
  };
}
