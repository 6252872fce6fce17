import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const cdaKind: DocumentKind = {
  name: 'cda',
  sopClasses: listSopClasses('4.1.1.104.2'),
  views: ['content'],
  shows: 'title, source and size of the document',
  build: buildSummary,
};
