import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const implantKind: DocumentKind = {
  name: 'implant',
  sopClasses: listSopClasses('4.43.1 4.44.1 4.45.1'),
  views: [],
  shows: 'name, manufacturer, parts, sizes and how they fit together',
  build: (source) => buildDeepSummary(source),
};
