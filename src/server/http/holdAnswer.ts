import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { once } from 'node:events';
import type { Admission } from '../memory/admission.ts';

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
      // The bytes already exist, so a response larger than the whole share is not refused but sent alone.
      const reservation = { bytes, isUpperBound: true, signal: c.req.raw.signal };
      const sending = answers.reserve(reservation, async () => {
        admitted();
        if (!outgoing.closed) await once(outgoing, 'close');
      });
      sending.catch(refused);
    });
  };
}
