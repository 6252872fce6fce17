import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const fiducialsKind: DocumentKind = {
  name: 'fiducials',
  sopClasses: listSopClasses('4.1.1.66.2'),
  views: [],
  shows: 'the marked points, and the images they are in',
  build: buildSummary,
};
