import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DocumentKind } from '../documentKind.ts';
import { buildReportDocument, REPORT_READING } from '../report/buildReportDocument.ts';

export const procedureLogKind: DocumentKind = {
  name: 'procedure_log',
  sopClasses: listSopClasses('4.1.1.88.40'),
  views: ['report', 'report/measurements'],
  shows: 'the entries of the log in their order',
  firstReading: REPORT_READING,
  build: buildReportDocument,
};
