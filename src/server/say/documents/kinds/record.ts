import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DocumentKind } from '../documentKind.ts';
import { buildPlanDocument } from '../plan/buildPlanDocument.ts';

export const recordKind: DocumentKind = {
  name: 'record',
  sopClasses: listSopClasses('4.1.1.481.4 4.1.1.481.6 4.1.1.481.7 4.1.1.481.9 4.1.1.481.16-20'),
  views: ['plan'],
  shows: 'what was delivered against what was planned, by fraction and beam, with the field at each control point',
  build: buildPlanDocument,
};
