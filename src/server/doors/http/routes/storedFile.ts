import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { placeOf } from '../../../bytes/origins/origins.ts';
import { parsePathNumber, parseRange } from '../parseRequest.ts';
import { nameDownload } from '../nameDownload.ts';
import { sendPlaces } from '../sendStored.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function storedFileRoutes({ catalog, tasks }: ServerContext) {
  const storedFile: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { source, fileBytes } = file;
    return sendPlaces(c, tasks, {
      source,
      places: { starts: Float64Array.of(0), ends: Float64Array.of(fileBytes) },
      // No validator is sent that If-Range could match, so with If-Range the whole file is sent.
      range: c.header('if-range') === undefined ? parseRange(c.header('range'), fileBytes) : undefined,
      headers: [
        ['Content-Type', ENDPOINTS.storedFile.mediaType],
        // An attachment is never shown as a page, whatever the 128 bytes before the DICOM prefix contain.
        ['Content-Disposition', `attachment; filename="${nameDownload(placeOf(source))}"`],
      ],
    });
  };
  return { storedFile };
}
