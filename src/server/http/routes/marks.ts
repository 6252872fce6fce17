import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import type { DeletedMarkResponse, MarkJournalResponse } from '../../../shared/contract/marks.ts';
import type { JournalReport } from '../../annotations/recovery.ts';
import type { ChangedMark, ReadScheme } from '../../marks/marks.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { readJsonBody } from '../readJsonBody.ts';
import { sendJson, sendJsonTexts, sendTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { onDelivered, parseRecovery } from './annotations.ts';

/** Marks and the classes that they can have. */
export function markRoutes({ marks: store }: ServerContext) {
  const marks: Handler = async (c) => sendJsonTexts(c, await store.list(parseQuery(ENDPOINTS.marks.query, c)));
  const createMark: Handler = async (c) => sendChanged(c, await store.create(await readJsonBody(c)));

  const changeMarks: Handler = async (c) => {
    const { durability, ...changed } = await store.changeMany(await readJsonBody(c));
    c.setHeader(HEADER.annotationDurability, durability);
    return sendJson(c, changed);
  };

  const mark: Handler = async (c) => sendMark(c, await store.read(parsePathNumber(c, 'mark')));

  const replaceMark: Handler = async (c) => {
    const id = parsePathNumber(c, 'mark');
    return sendChanged(c, await store.replace(id, await readJsonBody(c), wishOf(c)));
  };

  const changeMark: Handler = async (c) => {
    const id = parsePathNumber(c, 'mark');
    return sendChanged(c, await store.change(id, await readJsonBody(c), wishOf(c)));
  };

  const deleteMark: Handler = async (c) => {
    const id = parsePathNumber(c, 'mark');
    const { durability, revision } = await store.remove(id, wishOf(c));
    c.setHeader(HEADER.annotationDurability, durability);
    return sendJson(c, { id, revision } satisfies DeletedMarkResponse);
  };

  const exportMarks: Handler = async (c) => {
    const { texts, delivered } = await store.exportJson();
    if (c.method === 'GET') onDelivered(c, delivered);
    return sendTexts(c, texts, [
      ['Content-Type', ENDPOINTS.exportMarks.mediaType],
      ['Content-Disposition', 'attachment; filename="negato-marks.json"'],
    ]);
  };

  const markJournal: Handler = (c) => sendJson(c, toMarkJournal(store.journal()));

  const recoverMarks: Handler = async (c) => {
    const { action } = await parseRecovery(c);
    return sendJson(c, toMarkJournal(await store.recover(action)));
  };

  const labels: Handler = (c) => sendScheme(c, store.scheme());
  const replaceLabels: Handler = async (c) =>
    sendScheme(c, await store.replaceScheme(await readJsonBody(c), wishOf(c)));

  return {
    marks,
    createMark,
    changeMarks,
    mark,
    replaceMark,
    changeMark,
    deleteMark,
    exportMarks,
    markJournal,
    recoverMarks,
    labels,
    replaceLabels,
  };
}

function wishOf(c: Exchange) {
  return { ifMatch: c.header('if-match') };
}

function sendChanged(c: Exchange, changed: ChangedMark): Promise<void> {
  c.setHeader(HEADER.annotationDurability, changed.durability);
  return sendMark(c, changed);
}

function sendMark(c: Exchange, { texts, etag }: Pick<ChangedMark, 'texts' | 'etag'>): Promise<void> {
  c.setHeader('ETag', etag);
  return sendJsonTexts(c, texts);
}

function sendScheme(c: Exchange, { scheme, etag }: ReadScheme): void {
  c.setHeader('ETag', etag);
  return sendJson(c, scheme);
}

function toMarkJournal({ state, error, folder, isSearched, kept }: JournalReport): MarkJournalResponse {
  return {
    state,
    error: error ?? null,
    folder: folder ?? null,
    searched: isSearched,
    kept:
      kept === undefined
        ? null
        : {
            marks: kept.items,
            files: kept.files,
            path: kept.path,
            changed_files: kept.changedFiles,
            saved_at_ms: kept.savedAtMs,
          },
  };
}
