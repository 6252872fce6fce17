import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const pdfKind: DocumentKind = {
  name: 'pdf',
  sopClasses: listSopClasses('4.1.1.104.1'),
  views: [],
  shows: 'title, source and size of the document',
  build: buildSummary,
};
