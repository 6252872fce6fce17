import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { elementColumn, formatCode, formatUnit, tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource } from '../documentKind.ts';

export const bulkAnnotationsKind: DocumentKind = {
  name: 'bulk_annotations',
  sopClasses: listSopClasses('4.1.1.91.1'),
  views: [],
  shows: 'the groups of annotations with their counts, and the range of their measured values',
  build: buildBulkAnnotations,
};

const ANNOTATION_GROUP_NUMBER = 0x0040a180;
const ANNOTATION_GROUP_LABEL = 0x006a0005;
const MEASUREMENT_VALUES = 0x00660132;
const FLOATING_POINT_VALUES = 0x00660125;

/** Of one measurement. All of the values are in the file; more are not read for a summary. */
const MOST_VALUES_READ = 1_000_000;

function buildBulkAnnotations(source: DocumentSource): DocumentDraft {
  const summary = buildDeepSummary(source, new Set([Tag.AnnotationGroupSequence]));
  const groups = source.dataSet.items(Tag.AnnotationGroupSequence);
  const groupTable = tableOf('Groups', groups, [
    elementColumn(ANNOTATION_GROUP_NUMBER, 'Number'),
    elementColumn(ANNOTATION_GROUP_LABEL, 'Label'),
    elementColumn(0x006a0009, 'Category'),
    elementColumn(0x006a000a, 'Type'),
    elementColumn(0x006a0007, 'Made'),
    { label: 'Algorithm', value: (one) => one.items(0x006a0008)[0]?.string(0x00660036) },
    elementColumn(0x00700023, 'Shape'),
    elementColumn(Tag.NumberOfAnnotations, 'Annotations'),
  ]);
  const measurements = groups.flatMap((group) =>
    group.items(Tag.MeasurementsSequence).map((item) => ({ group, item, ...summarize(item) })),
  );
  const measuredTable = tableOf('Measurements', measurements, [
    {
      label: 'Group',
      value: ({ group }) => group.string(ANNOTATION_GROUP_LABEL) ?? group.number(ANNOTATION_GROUP_NUMBER),
    },
    { label: 'Measurement', value: ({ item }) => formatCode(findCode(item, Tag.ConceptNameCodeSequence)) },
    { label: 'Unit', value: ({ item }) => formatUnit(findCode(item, Tag.MeasurementUnitsCodeSequence)) },
    { label: 'Values', value: ({ count }) => count },
    { label: 'Smallest', value: ({ smallest }) => smallest },
    { label: 'Mean', value: ({ mean }) => mean },
    { label: 'Largest', value: ({ largest }) => largest },
  ]);
  return { ...summary, tables: [groupTable, measuredTable, ...summary.tables].filter((table) => table !== undefined) };
}

function summarize(item: DataSet) {
  const [values] = item.items(MEASUREMENT_VALUES);
  const numbers = values?.numbers(FLOATING_POINT_VALUES, MOST_VALUES_READ) ?? [];
  let [sum, known, smallest, largest] = [0, 0, Infinity, -Infinity];
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    sum += value;
    known += 1;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  const count = values?.count(FLOATING_POINT_VALUES) ?? 0;
  if (known === 0) return { count, smallest: undefined, mean: undefined, largest: undefined };
  return { count, smallest: round(smallest), mean: round(sum / known), largest: round(largest) };
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
