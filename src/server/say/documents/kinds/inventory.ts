import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const inventoryKind: DocumentKind = {
  name: 'inventory',
  sopClasses: listSopClasses('4.1.1.201.1'),
  views: [],
  shows: 'the studies that it lists, with their series and instances',
  build: (source) => buildDeepSummary(source),
};
