import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { RealWorldMapping } from '../../../images/semantics/parametricMapRecord.ts';
import { describeMapping } from '../../../images/semantics/realWorldMappings.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { formatCode, formatUnit, tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentFigure, DocumentKind, DocumentSource } from '../documentKind.ts';

const REFERENCED_MAPPINGS = 0x00409094;

export const valueMappingKind: DocumentKind = {
  name: 'value_mapping',
  sopClasses: listSopClasses('4.1.1.67'),
  views: [],
  shows: 'the mappings as a table and as curves, and the images that they are for',
  build: buildValueMapping,
};

/** A curve needs no more points, and a mapping no more curves. */
const MOST_POINTS = 512;
const MOST_CURVES = 8;
const MOST_LUT = 65_536;

function buildValueMapping(source: DocumentSource): DocumentDraft {
  const { dataSet } = source;
  const summary = buildDeepSummary(source, new Set([REFERENCED_MAPPINGS]));
  const rows = dataSet.items(REFERENCED_MAPPINGS).flatMap((item, group) => {
    const images = item.items(Tag.ReferencedImageSequence).length;
    return item
      .items(Tag.RealWorldValueMappingSequence)
      .map((one) => ({ mapping: describeMapping(one, MOST_LUT), group: group + 1, images }));
  });
  const table = tableOf('Mappings', rows, [
    { label: 'Group', value: ({ group }) => group },
    { label: 'Label', value: ({ mapping }) => mapping.label },
    { label: 'Quantity', value: ({ mapping }) => formatCode(mapping.quantity) },
    { label: 'Unit', value: ({ mapping }) => formatUnit(mapping.units) },
    { label: 'First stored value', value: ({ mapping }) => mapping.firstValueMapped },
    { label: 'Last stored value', value: ({ mapping }) => mapping.lastValueMapped },
    { label: 'Slope', value: ({ mapping }) => mapping.slope },
    { label: 'Intercept', value: ({ mapping }) => mapping.intercept },
    { label: 'Values of the table', value: ({ mapping }) => mapping.lutLength || undefined },
    { label: 'Images', value: ({ images }) => images },
  ]);
  return {
    ...summary,
    tables: table === undefined ? summary.tables : [table, ...summary.tables],
    figures: rows.slice(0, MOST_CURVES).flatMap(({ mapping }) => drawMapping(mapping) ?? []),
  };
}

/** Stored value against real-world value: a line, or the values of a table. PS3.3 C.7.6.16.2.11 */
function drawMapping(mapping: RealWorldMapping): DocumentFigure | undefined {
  const { firstValueMapped: first, lastValueMapped: last, slope, intercept, lutData } = mapping;
  if (first === undefined || last === undefined || !(last >= first)) return undefined;
  const points: [number, number][] = [];
  if (lutData.length > 0) {
    const step = Math.max(1, Math.ceil(lutData.length / MOST_POINTS));
    for (let at = 0; at < lutData.length; at += step) points.push([first + at, lutData[at] ?? NaN]);
  } else if (slope !== undefined && intercept !== undefined) {
    for (const stored of [first, last]) points.push([stored, stored * slope + intercept]);
  }
  const usable = points.filter((point) => point.every(Number.isFinite));
  if (usable.length < 2) return undefined;
  return {
    type: 'curve',
    title: mapping.label ?? formatCode(mapping.quantity) ?? 'Mapping',
    x: { label: 'stored value' },
    y: { label: formatCode(mapping.quantity) ?? 'real-world value', unit: formatUnit(mapping.units) },
    points: usable,
  };
}
