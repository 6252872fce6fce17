import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const meshKind: DocumentKind = {
  name: 'mesh',
  sopClasses: listSopClasses('4.1.1.104.3 4.1.1.104.4'),
  views: ['content'],
  shows: 'title, source and size of the model',
  build: buildSummary,
};
