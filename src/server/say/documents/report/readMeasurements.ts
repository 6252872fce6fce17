import { formatCsvLine } from '../../../../shared/csvCell.ts';
import type { Code } from '../../../standard/dicom/code.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { JsonColumnBuilder } from './jsonColumn.ts';
import { collectMeasurements, type ReadMeasurement, type MeasurementGroup, nameColumn } from './measurements.ts';
import { readEvidence, toLinkJson } from './evidence.ts';
import { withReport } from './readContent.ts';
import type { MeasurementsRecord } from './reportTasks.ts';

/** Implements `readMeasurementsTask`. */
export function readMeasurements(file: DocumentFile, { transfer }: TaskContext): MeasurementsRecord {
  const record = withReport(file, ({ dataSet }) => {
    const { groups, isCut } = collectMeasurements(dataSet);
    const seriesOf = readEvidence(dataSet);
    const texts = new JsonColumnBuilder();
    const links = new JsonColumnBuilder();
    const columns = new Set<string>();
    let count = 0;
    for (const group of groups) {
      count += group.rows.length;
      for (const row of group.rows) if (columns.size < MOST_COLUMNS) columns.add(nameColumn(row));
      texts.add(openObject(toWireGroup(group)));
      links.add(toLinkJson(group.target, seriesOf));
    }
    return { groups: texts.build(), links: links.build(), columns: [...columns], count, isCut };
  });
  for (const { bytes, starts } of [record.groups, record.links]) {
    transfer(bytes);
    transfer(starts);
  }
  return record;
}

const MOST_COLUMNS = 1_000;

function toWireGroup(group: MeasurementGroup) {
  return {
    item: group.item,
    title: group.title,
    tracking_id: group.trackingId ?? null,
    tracking_uid: group.trackingUid ?? null,
    finding: group.finding ?? null,
    site: group.site ?? null,
    laterality: group.laterality ?? null,
    session: group.session ?? null,
    rows: group.rows.map((row) => ({
      item: row.item,
      name: row.name ?? null,
      value: row.stored ?? null,
      float: row.float ?? null,
      unit_label: row.unitLabel ?? '',
      method: row.method ?? null,
      derivation: row.derivation ?? null,
      qualitative: row.qualitative ?? null,
    })),
  };
}

/** Implements `writeMeasurementsTask`: a row for each measurement, with the codes. RFC 4180. */
export function writeMeasurements(file: DocumentFile): Uint8Array<ArrayBuffer> {
  return withReport(file, ({ dataSet }) => {
    const { groups } = collectMeasurements(dataSet);
    const lines = [HEAD, ...groups.flatMap((group) => group.rows.map((row) => toCsvRow(group, row)))];
    return new TextEncoder().encode(lines.map(formatCsvLine).join(''));
  });
}

const CODE_PARTS = ['', ' code', ' scheme'] as const;
const HEAD: readonly string[] = [
  'group',
  'group title',
  'tracking id',
  'tracking uid',
  ...['finding', 'site', 'laterality'].flatMap((name) => CODE_PARTS.map((part) => name + part)),
  'session',
  'item',
  ...CODE_PARTS.map((part) => `measurement${part}`),
  'value',
  'unit',
  'unit code',
  ...['method', 'derivation', 'evaluation'].flatMap((name) => CODE_PARTS.map((part) => name + part)),
  'image uid',
  'frames',
  'segments',
];

function toCsvRow(group: MeasurementGroup, row: ReadMeasurement): string[] {
  const { target } = group;
  return [
    group.item,
    group.title,
    group.trackingId ?? '',
    group.trackingUid ?? '',
    ...toCells(group.finding),
    ...toCells(group.site),
    ...toCells(group.laterality),
    group.session ?? '',
    row.item,
    ...toCells(row.name),
    // The binary value is more exact than the decimal text, which has at most 16 characters.
    row.float === undefined ? (row.stored ?? '') : String(row.float),
    row.unitLabel ?? '',
    row.unit?.value ?? '',
    ...toCells(row.method),
    ...toCells(row.derivation),
    ...toCells(row.qualitative),
    target?.sopInstanceUid ?? '',
    target?.frameNumbers.join(' ') ?? '',
    target?.segmentNumbers.join(' ') ?? '',
  ];
}

function toCells(code: Code | undefined): string[] {
  return code === undefined ? ['', '', ''] : [code.meaning, code.value, code.scheme];
}
