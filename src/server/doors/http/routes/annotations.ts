import type { StoredAnnotation } from '../../../work/annotations/keptRois.ts';
import {
  type AnnotationJournalResponse,
  RecoveryBody,
  type RedactedSeriesResponse,
  type RedactionJournalResponse,
} from '../../../../shared/contract/annotations.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import type { Annotations } from '../../../work/annotations/annotations.ts';
import type { JournalReport } from '../../../work/journal/keptStore.ts';
import type { KeptEdits } from '../../../work/journal/recovery.ts';
import type { RedactionReport } from '../../../work/redactions/redactions.ts';
import { countFrames, unpackRois } from '../../../work/annotations/packedRois.ts';
import { writePayload } from '../../../work/annotations/writeRois.ts';
import type { Exchange } from '../exchange.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendJson, sendJsonTexts, sendTexts } from '../sendJson.ts';
import type { Handler, Handlers, ServerContext } from '../serverContext.ts';

export function annotationRoutes({ catalog, annotations: store, redactions: hidden }: ServerContext) {
  const replaceIn =
    (edited: Pick<Annotations, 'replace'>): Handler =>
    async (c) => {
      const { index } = catalog.get(parsePathNumber(c, 'index'));
      const body = await readJsonBody(c);
      const replaced = await edited.replace(index, body, { ifMatch: c.header('if-match') });
      c.setHeader(HEADER.annotationDurability, replaced.durability);
      return sendAnnotation(c, replaced);
    };

  return {
    annotations: async (c) => sendAnnotation(c, await store.read(parsePathNumber(c, 'index'))),
    replaceAnnotations: replaceIn(store),
    redactions: async (c) => sendAnnotation(c, await hidden.read(parsePathNumber(c, 'index'))),
    replaceRedactions: replaceIn(hidden),
    async redactSeries(c) {
      const { index } = catalog.get(parsePathNumber(c, 'index'));
      const body: RedactedSeriesResponse = { file_indices: [...(await hidden.copyToSeries(index))] };
      return sendJson(c, body);
    },
    redactionJournal: (c) => sendJson(c, toRedactionJournal(hidden.journal())),
    async recoverRedactions(c) {
      const { action } = await parseRecovery(c);
      return sendJson(c, toRedactionJournal(await hidden.recover(action)));
    },
    annotatedFiles: async (c) => sendJsonTexts(c, await store.listFiles()),
    async exportAnnotations(c) {
      const { edits_only: editsOnly } = parseQuery(ENDPOINTS.exportAnnotations.query, c);
      const { texts, delivered } = await store.exportCsv({ editsOnly });
      if (c.method === 'GET') onDelivered(c, delivered);
      return sendTexts(c, texts, [
        ['Content-Type', ENDPOINTS.exportAnnotations.mediaType],
        ['Content-Disposition', 'attachment; filename="viewer-annotations.csv"'],
      ]);
    },
    annotationJournal: (c) => sendJson(c, toJournalResponse(store.journal())),
    async recoverAnnotations(c) {
      const { action } = await parseRecovery(c);
      return sendJson(c, toJournalResponse(await store.recover(action)));
    },
  } satisfies Handlers;
}

const MAX_ACTION_BYTES = 1024;

export async function parseRecovery(c: Exchange): Promise<RecoveryBody> {
  const words = 'the body must be {"action": "restore"}, {"action": "forget"} or {"action": "set_aside"}';
  return parseChecked(RecoveryBody, await readJsonBody(c, MAX_ACTION_BYTES), words);
}

function toRedactionJournal(report: RedactionReport): RedactionJournalResponse {
  return { ...toJournalResponse(report), num_of_others: report.ofOthers };
}

function toJournalResponse(report: JournalReport): AnnotationJournalResponse {
  return toJournal(report, ({ items, files }) => ({ num_roi: items, num_files: files }));
}

/** `count` says how many were kept. */
export function toJournal<Counts extends object>(report: JournalReport, count: (kept: KeptEdits) => Counts) {
  const { state, error, folder, isSearched, kept, unread } = report;
  const toKept = (edits: KeptEdits) => {
    const { path, changedFiles, savedAtMs } = edits;
    return { ...count(edits), path, changed_files: changedFiles, saved_at_ms: savedAtMs };
  };
  return {
    state,
    error: error ?? null,
    folder: folder ?? null,
    searched: isSearched,
    kept: kept === undefined ? null : toKept(kept),
    unread: [...unread],
  };
}

/** Calls `delivered` once the whole response has been handed to the connection. Not called if the connection breaks. */
export function onDelivered(c: Exchange, delivered: () => Promise<void>): void {
  const { outgoing } = c;
  outgoing.once('finish', () => void delivered());
}

/** Maximum number of coordinates and frames that are serialized in one step. */
const FEW_NUMBERS = 2000;

function sendAnnotation(c: Exchange, { rois, etag }: StoredAnnotation): void | Promise<void> {
  c.setHeader('ETag', etag);
  const isShort = rois.coords.length + countFrames(rois) <= FEW_NUMBERS;
  return isShort ? sendJson(c, unpackRois(rois)) : sendJsonTexts(c, writePayload(rois));
}
