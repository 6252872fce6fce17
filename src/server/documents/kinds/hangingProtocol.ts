import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const hangingProtocolKind: DocumentKind = {
  name: 'hanging_protocol',
  sopClasses: listSopClasses('4.38.1'),
  views: [],
  shows: 'name, definition, image sets and screens',
  build: buildSummary,
};
