import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { once } from 'node:events';
import { createAdmission } from '../pixels/admission.ts';
import { type HeaderList, toHeadList } from './answer.ts';

/** Shorter answers than this are not counted: all connections together cannot hold many. */
const COUNTED_BYTES = 2 ** 20;
/** A client that takes nothing for so long is dropped, and what it held goes free. */
const STALLED_MS = 30_000;

/**
 * Answers bytes that nobody changes any more, such as those of a cache. They are not copied, but live until the client
 * has taken them: when clients are slow and `budgetBytes` are on their way, the next answer waits for its turn.
 */
export type SendBytes = (c: Context, bytes: Uint8Array, headers: HeaderList) => Promise<Response>;

export function createSendBytes(budgetBytes: number): SendBytes {
  const onTheirWay = createAdmission(budgetBytes);
  return async (c, bytes, headers) => {
    const { outgoing }: HttpBindings = c.env;
    if (bytes.length >= COUNTED_BYTES) {
      outgoing.setTimeout(STALLED_MS);
      await new Promise<void>((admitted, refused) => {
        const size = Math.min(bytes.length, budgetBytes);
        const sending = onTheirWay.reserve({ bytes: size, signal: c.req.raw.signal }, async () => {
          admitted();
          if (!outgoing.closed) await once(outgoing, 'close');
        });
        sending.catch(refused);
      });
    }
    const all: HeaderList = [...headers, ['Content-Length', bytes.length]];
    // Hono makes its own answer to HEAD of whatever is returned here.
    if (c.req.method === 'HEAD')
      return c.body(null, 200, Object.fromEntries(all.map(([name, value]) => [name, String(value)])));
    // Past the Response of the web, whose headers and body would be made, read and thrown away for each frame.
    outgoing.writeHead(200, toHeadList(all));
    outgoing.end(bytes);
    return RESPONSE_ALREADY_SENT;
  };
}
