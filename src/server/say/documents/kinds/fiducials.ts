import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { formatCode, tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource } from '../documentKind.ts';

export const fiducialsKind: DocumentKind = {
  name: 'fiducials',
  sopClasses: listSopClasses('4.1.1.66.2'),
  views: [],
  shows: 'the marked points with their coordinates, and the images they are in',
  build: buildFiducials,
};

const MOST_POINTS = 4;

function buildFiducials(source: DocumentSource): DocumentDraft {
  const summary = buildDeepSummary(source, new Set([Tag.FiducialSetSequence]));
  const rows = source.dataSet
    .items(Tag.FiducialSetSequence)
    .flatMap((set, at) => set.items(Tag.FiducialSequence).map((item) => ({ item, set, number: at + 1 })));
  const table = tableOf('Fiducials', rows, [
    { label: 'Set', value: ({ number }) => number },
    { label: 'Identifier', value: ({ item }) => item.string(Tag.FiducialIdentifier) },
    { label: 'Meaning', value: ({ item }) => formatCode(findCode(item, Tag.FiducialIdentifierCodeSequence)) },
    { label: 'Description', value: ({ item }) => item.string(Tag.FiducialDescription) },
    { label: 'Shape', value: ({ item }) => item.string(Tag.ShapeType)?.toLowerCase().replaceAll('_', ' ') },
    {
      label: 'Points',
      unit: 'mm',
      value: ({ item }) => {
        const count = Math.floor(item.count(Tag.ContourData) / 3);
        const numbers = item.numbers(Tag.ContourData, 3 * MOST_POINTS);
        const points = Array.from({ length: Math.floor(numbers.length / 3) }, (_, at) =>
          numbers.slice(3 * at, 3 * at + 3).join(', '),
        );
        return points.join('; ') + (count > points.length ? ` and ${count - points.length} more` : '');
      },
    },
    { label: 'Uncertainty', unit: 'mm', value: ({ item }) => item.number(Tag.ContourUncertaintyRadius) },
    {
      label: 'Marked in images',
      value: ({ item }) => item.items(Tag.GraphicCoordinatesDataSequence).length || undefined,
    },
    { label: 'Frame of reference', value: ({ set }) => set.string(Tag.FrameOfReferenceUID) },
  ]);
  return { ...summary, tables: table === undefined ? summary.tables : [table, ...summary.tables] };
}
