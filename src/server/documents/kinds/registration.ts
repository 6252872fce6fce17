import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const registrationKind: DocumentKind = {
  name: 'registration',
  sopClasses: listSopClasses('4.1.1.66.1 4.1.1.66.3 4.1.1.77.1.5.3'),
  views: [],
  shows: 'what it aligns, and how',
  build: buildSummary,
};
