import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DocumentKind } from '../documentKind.ts';
import { buildPlanDocument } from '../plan/buildPlanDocument.ts';

export const planKind: DocumentKind = {
  name: 'plan',
  sopClasses: listSopClasses(
    '4.1.1.481.5 4.1.1.481.8 4.1.1.481.10 4.1.1.481.12-15 4.1.1.481.21 4.1.1.481.22 4.1.1.481.25 4.34.1 4.34.7 4.34.10',
  ),
  views: ['plan'],
  shows:
    'prescriptions, fractions, beams with the field at each control point, spots of ion beams, dwell positions of brachytherapy, setup and tolerances',
  build: buildPlanDocument,
};
