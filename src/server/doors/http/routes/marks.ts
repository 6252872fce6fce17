import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type {
  DeletedMarkResponse,
  ImportedMarksResponse,
  MarkJournalResponse,
} from '../../../../shared/contract/marks.ts';
import { formatOf, isVolumeImport } from '../../../../shared/markFormats.ts';
import type { JournalReport } from '../../../work/journal/keptStore.ts';
import type { ChangedMark } from '../../../work/marks/markEdits.ts';
import type { ReadScheme } from '../../../work/marks/keptLabels.ts';
import { VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { readBody, readJsonBody } from '../readJsonBody.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendJson, sendJsonTexts, sendTexts } from '../sendJson.ts';
import { sendMade } from '../sendMade.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { onDelivered, parseRecovery, toJournal } from './annotations.ts';
import { nameSeries } from './exports.ts';
import { RequestOptions } from './frames.ts';

/** A file of marks that is larger is no work of a person. */
const MOST_IMPORTED_BYTES = 64 * 2 ** 20;

/** Marks and the classes that they can have. */
export function markRoutes(context: ServerContext) {
  const { marks: store, markFormats: formats, markVolumes: volumes, markStatistics: statistics, memory } = context;
  const sendBytes = createSendBytes(memory.answers);
  return {
    marks: async (c) => sendJsonTexts(c, await store.list(parseQuery(ENDPOINTS.marks.query, c))),
    createMark: async (c) => sendChanged(c, await store.create(await readJsonBody(c))),
    async changeMarks(c) {
      const { durability, ...changed } = await store.changeMany(await readJsonBody(c));
      c.setHeader(HEADER.annotationDurability, durability);
      return sendJson(c, changed);
    },
    async deleteMarks(c) {
      const { durability, ...deleted } = await store.removeMany(await readJsonBody(c));
      c.setHeader(HEADER.annotationDurability, durability);
      return sendJson(c, deleted);
    },
    mark: async (c) => sendMark(c, await store.read(parsePathNumber(c, 'mark'))),
    async replaceMark(c) {
      const id = parsePathNumber(c, 'mark');
      return sendChanged(c, await store.replace(id, await readJsonBody(c), wishOf(c)));
    },
    async changeMark(c) {
      const id = parsePathNumber(c, 'mark');
      return sendChanged(c, await store.change(id, await readJsonBody(c), wishOf(c)));
    },
    async deleteMark(c) {
      const id = parsePathNumber(c, 'mark');
      const { durability, revision } = await store.remove(id, wishOf(c));
      c.setHeader(HEADER.annotationDurability, durability);
      return sendJson(c, { id, revision } satisfies DeletedMarkResponse);
    },
    async exportMarks(c) {
      const { texts, delivered } = await store.exportJson();
      if (c.method === 'GET') onDelivered(c, delivered);
      return sendTexts(c, texts, [
        ['Content-Type', ENDPOINTS.exportMarks.mediaType],
        ['Content-Disposition', 'attachment; filename="negato-marks.json"'],
      ]);
    },
    async convertMarks(c) {
      const query = parseQuery(ENDPOINTS.convertMarks.query, c);
      const { pieces, leftOut, whole } = await formats.write(query, new RequestOptions(c));
      if (c.method === 'GET') onDelivered(c, () => store.noteDelivered(whole));
      if (leftOut.length > 0) c.setHeader(HEADER.marksLeftOut, leftOut.join(', '));
      const { mediaType, fileName } = formatOf(query.format);
      return sendMade(c, pieces, [
        ['Content-Type', mediaType],
        ['Content-Disposition', `attachment; filename="${fileName}"`],
      ]);
    },
    async importMarks(c) {
      const query = parseQuery(ENDPOINTS.importMarks.query, c);
      const bytes = Math.min(Number(c.header('content-length') ?? MOST_IMPORTED_BYTES), MOST_IMPORTED_BYTES);
      const reservation = { bytes, isUpperBound: true, signal: c.signal };
      const { durability, ...imported } = await memory.answers.reserve(reservation, async () => {
        const { format, file } = query;
        const { accepts, mediaType } = formatOf(format);
        if (accepts !== undefined) requireMediaType(c, accepts, mediaType.replace(/;.*/, ''));
        const receive = () => (accepts === undefined ? readJsonBody : readBody)(c, MOST_IMPORTED_BYTES);
        if (!isVolumeImport(format)) return formats.read(format, file, await receive(), new RequestOptions(c));
        if (file === undefined) throw new ViewerError('invalid_query', 'file must name an image of the series');
        return volumes.read(file, format, await receive(), new RequestOptions(c));
      });
      c.setHeader(HEADER.annotationDurability, durability);
      return sendJson(c, imported satisfies ImportedMarksResponse);
    },
    async markVolume(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const query = parseQuery(ENDPOINTS.markVolume.query, c);
      const { frame, format = 'nii.gz' } = query;
      const { of, pieces, leftOut, whole } = await volumes.write({ fileIndex, frame }, query, new RequestOptions(c));
      if (c.method === 'GET') onDelivered(c, () => store.noteDelivered(whole));
      if (leftOut.length > 0) c.setHeader(HEADER.marksLeftOut, leftOut.join(', '));
      const { mediaType, fileName } = formatOf(format);
      return sendBytes(c, pieces, [
        ['Content-Type', mediaType],
        ['Content-Disposition', `attachment; filename="${nameSeries(of, `-${fileName}`)}"`],
      ]);
    },
    async markStatistics(c) {
      const measured = await statistics.measure(parsePathNumber(c, 'mark'), new RequestOptions(c));
      c.setHeader('ETag', measured.etag);
      return sendJson(c, measured);
    },
    markJournal: (c) => sendJson(c, toMarkJournal(store.journal())),
    async recoverMarks(c) {
      const { action } = await parseRecovery(c);
      return sendJson(c, toMarkJournal(await store.recover(action)));
    },
    labels: (c) => sendScheme(c, store.scheme()),
    async replaceLabels(c) {
      const { durability, ...changed } = await store.replaceScheme(await readJsonBody(c), wishOf(c));
      c.setHeader(HEADER.annotationDurability, durability);
      return sendScheme(c, changed);
    },
  } satisfies Handlers;
}

/** Pages of other origins cannot send these types without being asked first. */
function requireMediaType(c: Exchange, types: RegExp, name: string): void {
  if (types.test(c.header('content-type') ?? '')) return;
  throw new ViewerError('unsupported_media_type', `the body must be ${name}`);
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

function toMarkJournal(report: JournalReport): MarkJournalResponse {
  return toJournal(report, ({ items, files }) => ({ marks: items, files }));
}
