import { pipeline } from 'node:stream/promises';
import type { HeaderList } from './answer.ts';
import type { Exchange } from './exchange.ts';

/** A client that reads nothing for this long is dropped. Making a piece may take long on a busy machine. */
const STALLED_MS = 120_000;

type Pieces = AsyncGenerator<Uint8Array, void>;

/**
 * Sends a file that is made while it is sent. A failure before the first piece is answered as such; after a later one the
 * connection closes before the end, so that the client knows that the file is incomplete.
 */
export async function sendMade(c: Exchange, pieces: Pieces, headers: HeaderList): Promise<void> {
  const { outgoing } = c;
  if (c.method === 'HEAD') {
    await pieces.return();
    c.begin(200, headers);
    outgoing.end();
    return;
  }
  const first = await pieces.next();
  outgoing.setTimeout(STALLED_MS);
  c.begin(200, headers);
  try {
    await pipeline(startingWith(first, pieces), outgoing);
  } catch (error) {
    // Nobody reads that the client has left.
    if (!c.signal.aborted) throw error;
  } finally {
    await pieces.return();
  }
}

async function* startingWith(first: IteratorResult<Uint8Array, void>, others: Pieces): Pieces {
  if (first.done !== true) yield first.value;
  yield* others;
}
