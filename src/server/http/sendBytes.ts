import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Admission } from '../memory/admission.ts';
import { type HeaderList, toHeadList } from './answer.ts';

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

/** Smaller responses are not counted, because all connections together cannot hold many of them. */
const COUNTED_BYTES = 2 ** 20;
/** A client that reads nothing for this long is dropped, which releases the memory of its response. */
const STALLED_MS = 30_000;

/**
 * Waits until there is room for a response of this size and reserves it until the client has read the response or
 * disconnected. When slow clients have used up the share of memory for responses, the next response waits.
 */
export type HoldAnswer = (c: Context, bytes: number) => Promise<void>;

export function createHoldAnswer(answers: Admission): HoldAnswer {
  return async (c, bytes) => {
    if (bytes < COUNTED_BYTES) return;
    const { outgoing }: HttpBindings = c.env;
    outgoing.setTimeout(STALLED_MS);
    await new Promise<void>((admitted, refused) => {
      // The bytes already exist, so a response larger than the whole share is not refused but sent beside
      // small ones only.
      const reservation = { bytes, isUpperBound: true, signal: c.req.raw.signal };
      const sending = answers.reserve(reservation, async () => {
        admitted();
        if (!outgoing.closed) await once(outgoing, 'close');
      });
      sending.catch(refused);
    });
  };
}
