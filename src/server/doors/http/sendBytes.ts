import { once } from 'node:events';
import type { Admission } from '../../machine/memory/admission.ts';
import type { HeaderList } from './answer.ts';
import type { Exchange } from './exchange.ts';

/** Sends bytes, or pieces one after the other, without copying them: they must no longer change, as those of a cache. */
export type SendBytes = (c: Exchange, bytes: Uint8Array | readonly Uint8Array[], headers: HeaderList) => Promise<void>;

export function createSendBytes(answers: Admission): SendBytes {
  const holdAnswer = createHoldAnswer(answers);
  return async (c, bytes, headers) => {
    if (bytes instanceof Uint8Array) {
      await holdAnswer(c, bytes.length);
      c.send(200, headers, bytes);
      return;
    }
    const length = bytes.reduce((sum, piece) => sum + piece.length, 0);
    await holdAnswer(c, length);
    c.begin(200, [...headers, ['Content-Length', length]]);
    for (const piece of bytes) c.outgoing.write(piece);
    c.outgoing.end();
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
export type HoldAnswer = (c: Exchange, bytes: number) => Promise<void>;

export function createHoldAnswer(answers: Admission): HoldAnswer {
  return async (c, bytes) => {
    if (bytes < COUNTED_BYTES) return;
    const { outgoing } = c;
    outgoing.setTimeout(STALLED_MS);
    await new Promise<void>((admitted, refused) => {
      // The bytes already exist, so a response larger than the whole share is not refused but sent beside
      // small ones only.
      const reservation = { bytes, isUpperBound: true, signal: c.signal };
      const sending = answers.reserve(reservation, async () => {
        admitted();
        if (!outgoing.closed) await once(outgoing, 'close');
      });
      sending.catch(refused);
    });
  };
}
