import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const planKind: DocumentKind = {
  name: 'plan',
  sopClasses: listSopClasses(
    '4.1.1.481.5 4.1.1.481.8 4.1.1.481.10 4.1.1.481.12-15 4.1.1.481.21 4.1.1.481.22 4.1.1.481.25 4.34.1 4.34.7 4.34.10',
  ),
  views: [],
  shows: 'label, approval, prescriptions, fractions and beams',
  build: buildSummary,
};
