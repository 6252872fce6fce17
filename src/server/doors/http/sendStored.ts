import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { FilePlaces, StoredValue } from '../../say/documents/storedValue.ts';
import { lengthOfValue } from '../../say/documents/storedValue.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { ByteRange, FileStream, KnownSource } from '../../bytes/origins/origins.ts';
import type { HeaderList } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { parseRange } from './parseRequest.ts';
import { createHoldAnswer } from './sendBytes.ts';
import type { ServerContext } from './serverContext.ts';
import { streamDicom } from './streamDicom.ts';

/** A client that reads nothing for this long is dropped. */
const STALLED_MS = 30_000;

export type SendPlaces = {
  readonly source: KnownSource;
  readonly places: FilePlaces;
  readonly headers: HeaderList;
  /** The part that the client wants; absent: all. */
  readonly range?: ByteRange | undefined;
};

/** Sends bytes of a file without holding them. */
export async function sendPlaces(
  c: Exchange,
  tasks: TaskRunner,
  { source, places, headers, range }: SendPlaces,
): Promise<void> {
  const stream = await streamDicom(tasks, source, c.signal);
  const length = lengthOfValue({ places });
  const part = range ?? { start: 0, end: length };
  const { outgoing } = c;
  if (c.method !== 'HEAD') outgoing.setTimeout(STALLED_MS);
  c.begin(range === undefined ? 200 : 206, [...headers, ...rangeHeaders(part, length, range !== undefined)]);
  if (c.method === 'HEAD') outgoing.end();
  else {
    // If the file changes during the transfer, the connection closes before Content-Length is reached, so that the
    // client knows that the file is incomplete.
    const body = Readable.from(readPlaces(stream, places, part), { objectMode: false });
    await pipeline(body, outgoing).catch(() => outgoing.destroy());
  }
  await stream.close();
}

function rangeHeaders({ start, end }: ByteRange, length: number, isPart: boolean): HeaderList {
  return [
    ['Accept-Ranges', 'bytes'],
    ['Content-Length', end - start],
    ...(isPart ? [['Content-Range', `bytes ${start}-${end - 1}/${length}`] as const] : []),
  ];
}

/** The bytes of these places, one after another, or a range of them. */
export async function* readPlaces(
  stream: FileStream,
  { starts, ends }: FilePlaces,
  range: ByteRange = { start: 0, end: Infinity },
) {
  let before = 0;
  for (let at = 0; at < starts.length && before < range.end; at += 1) {
    const [start, end] = [starts[at]!, ends[at]!];
    const from = Math.max(start, start + range.start - before);
    const to = Math.min(end, start + range.end - before);
    before += end - start;
    if (from < to) yield* stream.bytes({ start: from, end: to });
  }
}

export type SendStored = (c: Exchange, source: KnownSource, value: StoredValue, headers: HeaderList) => Promise<void>;

/** Sends a value of a file, or the range of it that the client wants. */
export function createSendStored({ memory, tasks }: Pick<ServerContext, 'memory' | 'tasks'>): SendStored {
  const holdAnswer = createHoldAnswer(memory.answers);
  return async (c, source, value, headers) => {
    const length = lengthOfValue(value);
    const range = findRange(c, length);
    if ('places' in value) return sendPlaces(c, tasks, { source, places: value.places, headers, range });
    await holdAnswer(c, length);
    const { start, end } = range ?? { start: 0, end: length };
    const all = [...headers, ...rangeHeaders({ start, end }, length, range !== undefined)];
    c.begin(range === undefined ? 200 : 206, all);
    c.outgoing.end(value.bytes.subarray(start, end));
  };
}

/** No validator is sent that If-Range could match, so with If-Range everything is sent. */
function findRange(c: Exchange, length: number): ByteRange | undefined {
  const header = c.header('range')?.trim();
  if (c.header('if-range') !== undefined || header === undefined) return undefined;
  const range = parseRange(header, length);
  if (range !== undefined || !/^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/.test(header)) return range;
  c.setHeader('Content-Range', `bytes */${length}`);
  throw new ViewerError('range_not_satisfiable', `the range is beyond the ${length} bytes that there are`);
}
