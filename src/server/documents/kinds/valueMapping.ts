import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const valueMappingKind: DocumentKind = {
  name: 'value_mapping',
  sopClasses: listSopClasses('4.1.1.67'),
  views: [],
  shows: 'the mappings, their units, and the images they are for',
  build: buildSummary,
};
