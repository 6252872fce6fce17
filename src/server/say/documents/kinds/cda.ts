import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const cdaKind: DocumentKind = {
  name: 'cda',
  sopClasses: listSopClasses('4.1.1.104.2'),
  views: ['narrative', 'content'],
  shows:
    'the narrative of its sections with its pictures and PDFs, and patient, author and time of its header; it can be saved',
  build: buildSummary,
};
