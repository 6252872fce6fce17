import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const presentationStateKind: DocumentKind = {
  name: 'presentation_state',
  sopClasses: listSopClasses('4.1.1.11.1-12 4.1.1.9.100.1 4.1.1.9.100.2 4.1.1.131 4.1.1.8 4.1.1.10 4.1.1.11'),
  views: ['presentation'],
  shows: 'label, and the images that it is for',
  build: buildSummary,
};
