import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const pdfKind: DocumentKind = {
  name: 'pdf',
  sopClasses: listSopClasses('4.1.1.104.1'),
  views: ['content'],
  shows: 'its pages, with search and text that can be selected; it can be saved',
  build: buildSummary,
};
