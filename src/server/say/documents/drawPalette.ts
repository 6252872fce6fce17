import { parseChannels } from '../../images/pixels/presentation/readLookupTables.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import type { DocumentFigure } from './documentKind.ts';

/** A strip needs no more colors. */
const MOST_COLORS = 256;

/** The palette of an object as a strip of its colors; undefined without one, or if it is damaged. */
export function drawPalette(dataSet: DataSet): DocumentFigure | undefined {
  const palette = parseChannels(dataSet, { pixelRepresentation: 0 });
  if (palette === undefined) return undefined;
  const count = palette.colors.length / 3;
  if (count < 1) return undefined;
  const shown = Math.min(count, MOST_COLORS);
  const colors = Array.from({ length: shown }, (_, at) => {
    const from = 3 * Math.floor((at * (count - 1)) / Math.max(1, shown - 1));
    return `#${[0, 1, 2].map((channel) => (palette.colors[from + channel] ?? 0).toString(16).padStart(2, '0')).join('')}`;
  });
  return {
    type: 'strip',
    title: `${count} colors`,
    colors,
    from: palette.firstValue,
    to: palette.firstValue + count - 1,
  };
}
