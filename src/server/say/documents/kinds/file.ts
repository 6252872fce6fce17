import { buildSummary } from '../buildSummary.ts';
import { ENCAPSULATED_DOCUMENT } from '../content/locateContent.ts';
import type { DocumentKind } from '../documentKind.ts';

export const fileKind: DocumentKind = {
  name: 'file',
  sopClasses: [],
  recognizes: ({ dataSet, className }) => className === undefined && dataSet.has(ENCAPSULATED_DOCUMENT),
  views: ['content'],
  shows: 'title, type and size of an encapsulated file of another class; it can be saved',
  build: buildSummary,
};
