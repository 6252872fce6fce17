import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import type { StoredAnnotation } from '../../annotations/annotations.ts';
import { countFrames, toPayload } from '../../annotations/packedRois.ts';
import { writePayload } from '../../annotations/writeRois.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parseQuery } from '../parseQuery.ts';
import { readJsonBody } from '../readJsonBody.ts';
import { sendJson, sendJsonPieces, sendPieces } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function annotationRoutes({ catalog, annotations: store }: ServerContext) {
  const annotations: Handler = async (c) => sendAnnotation(c, await store.read(parsePathNumber(c, 'index')));

  const replaceAnnotations: Handler = async (c) => {
    const { index } = catalog.get(parsePathNumber(c, 'index'));
    const body = await readJsonBody(c);
    return sendAnnotation(c, await store.replace(index, body, { ifMatch: c.req.header('if-match') }));
  };

  const annotatedFiles: Handler = async (c) => sendJsonPieces(c, await store.listFiles());

  const exportAnnotations: Handler = async (c) => {
    const { edits_only: editsOnly } = parseQuery(ENDPOINTS.exportAnnotations.query, c);
    return sendPieces(c, await store.exportCsv({ editsOnly }), {
      'Content-Type': ENDPOINTS.exportAnnotations.mediaType,
      'Content-Disposition': 'attachment; filename="viewer-annotations.csv"',
    });
  };

  return { annotations, replaceAnnotations, annotatedFiles, exportAnnotations };
}

/** Boxes and frames that are written in one go. */
const FEW_NUMBERS = 2000;

function sendAnnotation(c: Context, { rois, etag }: StoredAnnotation): Response {
  c.header('ETag', etag);
  const isShort = rois.coords.length + countFrames(rois) <= FEW_NUMBERS;
  return isShort ? sendJson(c, toPayload(rois)) : sendJsonPieces(c, writePayload(rois));
}
