import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { conceptOf, isOneOfCodes, type KnownCode } from '../../../standard/contentTree/contentCodes.ts';
import { walkContent } from '../../../standard/contentTree/walkContent.ts';
import type { Code } from '../../../standard/dicom/code.ts';
import { formatCode } from '../describeElements.ts';
import type { DocumentTable, DocumentWarning, TableCell } from '../documentKind.ts';
import { describeItemValue } from './contentItems.ts';
import { readContentNumber } from '../../../standard/contentTree/contentNumber.ts';

/** Root templates and containers of dose reports: PS3.16 TID 10001, 10011, 10021, 10040. */
const TOTALS: readonly KnownCode[] = [
  ['113702', 'DCM'], // Accumulated X-Ray Dose Data
  ['113811', 'DCM'], // CT Accumulated Dose Data
  ['130500', 'DCM'], // Accumulated Dose Data of an enhanced report
];
const ADMINISTRATION = ['113502', 'DCM'] as const;
const EVENTS: readonly KnownCode[] = [
  ['113706', 'DCM'], // Irradiation Event X-Ray Data
  ['113819', 'DCM'], // CT Acquisition
  ADMINISTRATION, // Radiopharmaceutical Administration
  ['130501', 'DCM'], // Irradiation Event Summary Data of an enhanced report
];
/** In the accumulated data there are also the factors of the calibration, which are no totals. */
const CALIBRATION = ['122505', 'DCM'] as const;
const PLANE = ['113764', 'DCM'] as const;
const SOURCE = ['113832', 'DCM'] as const;
const CTDI_VOL = ['113830', 'DCM'] as const;
const PHANTOM = ['113835', 'DCM'] as const;
const MOST_LEVELS = 16;
const MOST_EVENTS = 2_000;
const MOST_COLUMNS = 40;

export type DoseSummary = { readonly tables: readonly DocumentTable[]; readonly warnings: readonly DocumentWarning[] };

/** Totals and irradiation events of a dose report; nothing for other reports. */
export function summarizeDose(root: DataSet): DoseSummary {
  const totals: DataSet[] = [];
  const events: DataSet[] = [];
  walkContent(root, { context: true }, (item, { level }) => {
    if (level > MOST_LEVELS) return undefined;
    const concept = conceptOf(item);
    if (isOneOfCodes(concept, ...TOTALS)) totals.push(item);
    else if (isOneOfCodes(concept, ...EVENTS)) events.push(item);
    else return true;
    return undefined;
  });
  const found = [...totalTables(totals.slice(0, MOST_EVENTS)), ...eventTables(events)];
  return { tables: found, warnings: events.some(lacksPhantom) ? [NO_PHANTOM] : [] };
}

/** PS3.16 TID 10013: CTDIvol depends on the phantom, 16 or 32 cm, by a factor of about two. */
const NO_PHANTOM: DocumentWarning = {
  code: 'no_phantom',
  message: 'A CTDIvol is given without the type of the phantom, so it cannot be compared with others.',
};

function lacksPhantom(event: DataSet): boolean {
  const found = listLeaves(event);
  const has = (code: KnownCode) => found.some(({ concept }) => isOneOfCodes(concept, code));
  return has(CTDI_VOL) && !has(PHANTOM);
}

/** One table of totals; of two planes or sources, these are a column. */
function totalTables(totals: readonly DataSet[]): DocumentTable[] {
  const rows = totals.flatMap((total) => {
    const leaves = listLeaves(total);
    const textOf = (code: readonly [string, string], type: string) => {
      const found = leaves.find(({ concept }) => isOneOfCodes(concept, code))?.item;
      return found === undefined ? undefined : describeItemValue(found, type).text;
    };
    const [plane, source] = [textOf(PLANE, 'CODE'), textOf(SOURCE, 'TEXT')];
    return leaves.flatMap(({ item, concept }): TableCell[][] => {
      if (item.string(Tag.ValueType) !== 'NUM') return [];
      const { stored, unit, unitLabel } = readContentNumber(item);
      return [[formatCode(concept), toCell(stored), unitLabel, inOtherUnit(stored, unit), plane, source]];
    });
  });
  if (rows.length === 0) return [];
  const columns = ['Total', 'Value', 'Unit', 'In other units', 'Plane', 'Source'].map((label) => ({ label }));
  const used = columns.map((_, at) => rows.some((row) => row[at] !== undefined));
  return [
    {
      title: 'Totals',
      columns: columns.filter((_, at) => used[at]),
      rows: rows.map((row) => row.filter((_, at) => used[at])),
    },
  ];
}

/** Dose area products are read in both units: 1 Gy·m² is 1,000,000 cGy·cm². */
function inOtherUnit(stored: string | undefined, unit: Code | undefined): string | undefined {
  const value = Number(stored);
  if (stored === undefined || !Number.isFinite(value)) return undefined;
  if (unit?.value === 'Gy.m2') return `${Number((value * 1e6).toPrecision(6))} cGy cm²`;
  if (unit?.value === 'cGy.cm2') return `${Number((value / 1e6).toPrecision(6))} Gy m²`;
  if (unit?.value === 'dGy.cm2') return `${Number((value / 1e5).toPrecision(6))} Gy m²`;
  return undefined;
}

function eventTables(events: readonly DataSet[]): DocumentTable[] {
  const shown = events.slice(0, MOST_EVENTS).map((event) => toRow(event));
  const labels = new Set<string>();
  for (const row of shown) for (const label of row.keys()) if (labels.size < MOST_COLUMNS) labels.add(label);
  if (shown.length === 0) return [];
  const columns = [...labels];
  return [
    {
      title: events.every((event) => isOneOfCodes(conceptOf(event), ADMINISTRATION))
        ? 'Administrations'
        : 'Irradiation events',
      columns: columns.map((label) => ({ label })),
      rows: shown.map((row) => columns.map((label) => row.get(label))),
      rowCount: events.length,
    },
  ];
}

/** Of one cell. */
const MOST_LETTERS = 400;

function toRow(event: DataSet): ReadonlyMap<string, TableCell> {
  const row = new Map<string, TableCell>();
  for (const { item, concept } of listLeaves(event)) {
    const type = item.string(Tag.ValueType) ?? '';
    if (!SHOWN.has(type)) continue;
    const name = formatCode(concept) ?? 'Value';
    const isNumber = type === 'NUM';
    const { stored, unitLabel } = isNumber ? readContentNumber(item) : { stored: undefined, unitLabel: '' };
    const label = unitLabel === '' ? name : `${name} (${unitLabel})`;
    const value = isNumber ? toCell(stored) : describeItemValue(item, type).text;
    // Several values of one name, such as the doses of several organs, are listed in their order.
    const before = row.get(label);
    row.set(label, before === undefined ? value : `${before}, ${value ?? ''}`.slice(0, MOST_LETTERS));
  }
  return row;
}

const SHOWN: ReadonlySet<string> = new Set(['NUM', 'CODE', 'TEXT', 'DATETIME', 'PNAME']);

function toCell(stored: string | undefined): TableCell {
  const value = Number(stored);
  return stored === undefined ? undefined : Number.isFinite(value) ? value : stored;
}

type Leaf = { readonly item: DataSet; readonly concept: Code | undefined };

/** The items of an event in their order, those of its containers included. */
function listLeaves(event: DataSet): Leaf[] {
  const found: Leaf[] = [];
  walkContent(event, { context: true }, (item, { level }) => {
    if (level === 0) return true;
    const concept = conceptOf(item);
    if (found.length > MOST_LEAVES || level > MOST_LEVELS + 1 || isOneOfCodes(concept, CALIBRATION)) return undefined;
    if (item.string(Tag.ValueType) === 'CONTAINER') return true;
    found.push({ item, concept });
    return undefined;
  });
  return found;
}

const MOST_LEAVES = 2_000;
