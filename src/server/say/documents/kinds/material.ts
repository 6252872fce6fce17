import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const materialKind: DocumentKind = {
  name: 'material',
  sopClasses: listSopClasses('4.1.1.104.5'),
  views: ['content'],
  shows: 'title, source and size of the material library; it can be saved',
  build: buildSummary,
};
