import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import type { StoredAnnotation } from '../../annotations/annotations.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parseQuery } from '../parseQuery.ts';
import { readJsonBody } from '../readJsonBody.ts';
import { sendJson, sendPieces } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function annotationRoutes({ catalog, annotations: store }: ServerContext) {
  const annotations: Handler = async (c) => sendAnnotation(c, await store.read(parsePathNumber(c, 'index')));

  const replaceAnnotations: Handler = async (c) => {
    const { index } = catalog.get(parsePathNumber(c, 'index'));
    const value = await readJsonBody(c);
    return sendAnnotation(c, store.replace(index, value, { ifMatch: c.req.header('if-match') }));
  };

  const exportAnnotations: Handler = async (c) => {
    const { edits_only: editsOnly } = parseQuery(ENDPOINTS.exportAnnotations.query, c);
    return sendPieces(c, await store.exportCsv({ editsOnly }), {
      'Content-Type': ENDPOINTS.exportAnnotations.mediaType,
      'Content-Disposition': 'attachment; filename="viewer-annotations.csv"',
    });
  };

  return { annotations, replaceAnnotations, exportAnnotations };
}

function sendAnnotation(c: Context, { payload, etag }: StoredAnnotation): Response {
  c.header('ETag', etag);
  return sendJson(c, payload);
}
