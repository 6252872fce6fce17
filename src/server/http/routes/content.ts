import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { findContentTask } from '../../documents/content/contentTasks.ts';
import type { ContentFormat } from '../../documents/content/sniffContent.ts';
import { placeOf } from '../../origins/origins.ts';
import { nameDownload } from '../nameDownload.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { SANDBOXED } from '../securityHeaders.ts';
import { createSendStored } from '../sendStored.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** XML is not here: a browser would show it as a page, with its style sheets and scripts. */
const MEDIA_TYPES: Readonly<Partial<Record<ContentFormat, string>>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  stl: 'model/stl',
};

/** The viewer of the browser is an object of the page, whose styles are inline. */
const PDF_VIEWER_POLICY =
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The files that objects encapsulate. */
export function contentRoutes({ catalog, documents, memory }: ServerContext) {
  const sendStored = createSendStored(memory.answers);
  const content: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { as = 'save' } = parseQuery(ENDPOINTS.content.query, c);
    const { value, format, extension } = await documents.run(findContentTask, file, {}, { signal: c.signal });
    if (as === 'view' && format !== 'pdf') {
      throw new ViewerError('unsupported_media_type', 'the Encapsulated Document is no PDF: it can only be saved');
    }
    const name = nameDownload(placeOf(file.source), extension);
    return sendStored(c, file.source, value, [
      ['Content-Type', MEDIA_TYPES[format] ?? ENDPOINTS.content.mediaType],
      ['Content-Disposition', `${as === 'view' ? 'inline' : 'attachment'}; filename="${name}"`],
      ['Content-Security-Policy', as === 'view' ? PDF_VIEWER_POLICY : SANDBOXED],
    ]);
  };
  return { content };
}
