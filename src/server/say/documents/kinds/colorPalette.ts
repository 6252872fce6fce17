import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import type { DocumentDraft, DocumentKind, DocumentSource } from '../documentKind.ts';
import { drawPalette } from '../drawPalette.ts';

export const colorPaletteKind: DocumentKind = {
  name: 'color_palette',
  sopClasses: listSopClasses('4.39.1'),
  views: [],
  shows: 'the colors as a strip, name and number of entries',
  build: buildColorPalette,
};

function buildColorPalette(source: DocumentSource): DocumentDraft {
  const strip = drawPalette(source.dataSet);
  const summary = buildDeepSummary(source);
  return {
    ...summary,
    figures: strip === undefined ? [] : [strip],
    warnings:
      strip === undefined
        ? [...summary.warnings, { code: 'no_palette', message: 'The object has no palette that can be read.' }]
        : summary.warnings,
  };
}
