import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { placeOf, streamSame } from '../../origins/origins.ts';
import type { HeaderList } from '../answer.ts';
import { parsePathNumber, parseRange } from '../parseRequest.ts';
import { nameDownload } from '../nameDownload.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** A client that reads nothing for this long is dropped. */
const STALLED_MS = 30_000;

export function storedFileRoutes({ catalog }: ServerContext) {
  const storedFile: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { source, fileBytes } = file;
    const stream = await streamSame(source);
    const whole = { start: 0, end: fileBytes };
    // No validator is sent that If-Range could match, so with If-Range the whole file is sent.
    const part = c.header('if-range') === undefined ? parseRange(c.header('range'), fileBytes) : undefined;
    const range = part ?? whole;
    const headers: HeaderList = [
      ['Content-Type', ENDPOINTS.storedFile.mediaType],
      // An attachment is never shown as a page, whatever the 128 bytes before the DICOM prefix contain.
      ['Content-Disposition', `attachment; filename="${nameDownload(placeOf(source))}"`],
      ['Accept-Ranges', 'bytes'],
      ['Content-Length', range.end - range.start],
      ...(part === undefined ? [] : [['Content-Range', `bytes ${part.start}-${part.end - 1}/${fileBytes}`] as const]),
    ];
    const status = part === undefined ? 200 : 206;
    if (c.method === 'HEAD') {
      await stream.close();
      c.begin(status, headers);
      c.outgoing.end();
      return;
    }
    const { outgoing } = c;
    outgoing.setTimeout(STALLED_MS);
    c.begin(status, headers);
    // If the file changes during the transfer, the connection closes before Content-Length is reached, so that the
    // client knows that the file is incomplete.
    const body = Readable.from(stream.bytes(range), { objectMode: false });
    await pipeline(body, outgoing).catch(() => outgoing.destroy());
    await stream.close();
  };
  return { storedFile };
}
