import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const colorPaletteKind: DocumentKind = {
  name: 'color_palette',
  sopClasses: listSopClasses('4.39.1'),
  views: [],
  shows: 'name and colors',
  build: buildSummary,
};
