import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { sopClassName } from '../../../standard/dicom/uids.ts';
import type { Documents } from '../../../say/documents/documents.ts';
import { readMeasurementsTask, writeMeasurementsTask } from '../../../say/documents/report/reportTasks.ts';
import type { DocumentRecord } from '../../../say/documents/documentTasks.ts';
import { readPlanTask } from '../../../say/documents/plan/planTasks.ts';
import { closeObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendCompressible, sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { toWireLink } from './writeDocumentLink.ts';
import { getItemRow, writeMeasurementGroups, writeReport } from './writeReport.ts';

export function documentRoutes({ catalog, documents }: ServerContext) {
  const document: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const record = await documents.read(file, { signal: c.signal });
    return sendJsonTexts(c, writeDocument(documents, file, record));
  };
  const report: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { first, item = '1', depth = 6, offset = 0, limit = 1_000 } = parseQuery(ENDPOINTS.report.query, c);
    if (first !== undefined && (item !== '1' || offset > 0)) {
      throw new ViewerError('invalid_query', 'first cannot be combined with item and offset');
    }
    const file = catalog.get(index);
    const options = { signal: c.signal };
    const record = await (first === undefined
      ? documents.readContent(file, options)
      : documents.readFirstContent(file, first, options));
    const page = { row: getItemRow(record, item), depth, offset, limit };
    return sendJsonTexts(c, writeReport(documents, file, record, page));
  };
  const reportMeasurements: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { format = 'json' } = parseQuery(ENDPOINTS.reportMeasurements.query, c);
    const file = catalog.get(index);
    const options = { signal: c.signal };
    if (format === 'csv') {
      const bytes = await documents.run(writeMeasurementsTask, file, {}, options);
      return sendCompressible(c, bytes, CSV_HEADERS);
    }
    const record = await documents.run(readMeasurementsTask, file, {}, options);
    return sendJsonTexts(c, writeMeasurementGroups(documents, index, record));
  };
  const plan: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const query = parseQuery(ENDPOINTS.plan.query, c);
    const json = await documents.run(readPlanTask, catalog.get(index), query, { signal: c.signal });
    return sendJsonTexts(c, [json, closeObject({ file_index: index })]);
  };
  return { document, report, reportMeasurements, plan };
}

function* writeDocument(
  documents: Documents,
  { index, sopInstanceUid, sopClassUid }: DicomFile,
  { json, links, linkCount }: DocumentRecord,
): Generator<string> {
  yield json;
  yield ',"links":';
  yield* writeArray(links, (link) => JSON.stringify(toWireLink(documents.resolve(link), index)));
  yield closeObject({
    link_count: linkCount,
    file_index: index,
    sop_instance_uid: sopInstanceUid,
    sop_class_uid: sopClassUid,
    sop_class_name: sopClassName(sopClassUid) ?? null,
  });
}

const CSV_HEADERS = [
  ['Content-Type', 'text/csv; charset=utf-8'],
  ['Content-Disposition', 'attachment; filename="measurements.csv"'],
] as const;
