import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const rawKind: DocumentKind = {
  name: 'raw',
  sopClasses: listSopClasses('4.1.1.66'),
  views: [],
  shows: 'how the data was acquired, and its tables',
  build: (source) => buildDeepSummary(source),
};
