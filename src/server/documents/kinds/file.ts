import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

const ENCAPSULATED_DOCUMENT = 0x00420011;

export const fileKind: DocumentKind = {
  name: 'file',
  sopClasses: [],
  recognizes: ({ dataSet, className }) => className === undefined && dataSet.has(ENCAPSULATED_DOCUMENT),
  views: ['content'],
  shows: 'title, type and size of an encapsulated file of another class',
  build: buildSummary,
};
