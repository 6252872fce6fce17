import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const bulkAnnotationsKind: DocumentKind = {
  name: 'bulk_annotations',
  sopClasses: listSopClasses('4.1.1.91.1'),
  views: [],
  shows: 'the groups of annotations',
  build: buildSummary,
};
