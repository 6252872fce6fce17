import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { once } from 'node:events';
import type { Admission } from '../memory/admission.ts';

/** Shorter answers than this are not counted: all connections together cannot hold many. */
const COUNTED_BYTES = 2 ** 20;
/** A client that takes nothing for so long is dropped, and what it held goes free. */
const STALLED_MS = 30_000;

/**
 * Waits until there is room for an answer of so many bytes, which it holds until the client has taken them or left: when
 * clients are slow and all that answers may use is on its way, the next one waits for its turn.
 */
export type HoldAnswer = (c: Context, bytes: number) => Promise<void>;

export function createHoldAnswer(answers: Admission): HoldAnswer {
  return async (c, bytes) => {
    if (bytes < COUNTED_BYTES) return;
    const { outgoing }: HttpBindings = c.env;
    outgoing.setTimeout(STALLED_MS);
    await new Promise<void>((admitted, refused) => {
      // It exists already. One that is larger than all of the share goes alone.
      const reservation = { bytes, isUpperBound: true, signal: c.req.raw.signal };
      const sending = answers.reserve(reservation, async () => {
        admitted();
        if (!outgoing.closed) await once(outgoing, 'close');
      });
      sending.catch(refused);
    });
  };
}
