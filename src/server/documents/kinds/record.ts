import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const recordKind: DocumentKind = {
  name: 'record',
  sopClasses: listSopClasses('4.1.1.481.4 4.1.1.481.6 4.1.1.481.7 4.1.1.481.9 4.1.1.481.16-20'),
  views: [],
  shows: 'what was delivered, by fraction and beam',
  build: buildSummary,
};
