import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DocumentKind } from '../documentKind.ts';
import { buildReportDocument, REPORT_READING } from '../report/buildReportDocument.ts';

export const reportKind: DocumentKind = {
  name: 'report',
  sopClasses: listSopClasses(
    '4.1.1.88.1-4 4.1.1.88.11 4.1.1.88.22 4.1.1.88.33-35 4.1.1.88.50 4.1.1.88.65 4.1.1.88.67-77 4.1.1.79.1',
  ),
  views: ['report', 'report/measurements'],
  shows: 'the content of the report to read or as a tree, its measurements, and the images that it names',
  firstReading: REPORT_READING,
  build: buildReportDocument,
};
