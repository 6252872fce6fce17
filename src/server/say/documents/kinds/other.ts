import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { buildSummary } from '../buildSummary.ts';
import { elementColumn, tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource, TableCell } from '../documentKind.ts';
import { STRUCTURE_SEQUENCES, structureTable } from '../structureTable.ts';

/** All other objects, images among them: what they say of themselves. */
export const otherKind: DocumentKind = {
  name: 'other',
  sopClasses: [],
  views: [],
  shows:
    'a summary by module, with a table for each sequence; of structure sets the structures, of surfaces and tracts counts and sizes',
  build: buildOther,
};

const SURFACES = 0x00660002;
const SURFACE_POINTS = 0x00660011;
const NUMBER_OF_SURFACE_POINTS = 0x00660015;
const TRACK_SETS = 0x00660101;
const TRACKS = 0x00660102;
const PER_FRAME_GROUPS = 0x52009230;

function buildOther(source: DocumentSource): DocumentDraft {
  const { dataSet } = source;
  // The groups of frames are too many to be tables, and the page shows the frames.
  if (dataSet.has(PER_FRAME_GROUPS)) return buildSummary(source);
  const summary = buildDeepSummary(source, new Set([SURFACES, TRACK_SETS, ...STRUCTURE_SEQUENCES]));
  const tables = [structureTable(dataSet), surfaceTable(dataSet), trackTable(dataSet), ...summary.tables];
  return { ...summary, tables: tables.filter((table) => table !== undefined) };
}

function surfaceTable(dataSet: DataSet) {
  const rows = dataSet.items(SURFACES).map((item) => ({ item, box: measureBox(item.items(SURFACE_POINTS)[0]) }));
  return tableOf('Surfaces', rows, [
    { label: 'Number', value: ({ item }) => item.number(0x00660003) },
    { label: 'Comments', value: ({ item }) => item.string(0x00660004) },
    { label: 'Closed', value: ({ item }) => item.string(0x0066000e)?.toLowerCase() },
    { label: 'Manifold', value: ({ item }) => item.string(0x00660010)?.toLowerCase() },
    { label: 'Shown as', value: ({ item }) => item.string(0x0066000d)?.toLowerCase() },
    { label: 'Points', value: ({ item }) => item.items(SURFACE_POINTS)[0]?.number(NUMBER_OF_SURFACE_POINTS) },
    { label: 'Size', unit: 'mm', value: ({ box }) => box },
  ]);
}

function trackTable(dataSet: DataSet) {
  const rows = dataSet.items(TRACK_SETS);
  return tableOf('Track sets', rows, [
    elementColumn(0x00660105, 'Number'),
    elementColumn(0x00660106, 'Label'),
    elementColumn(0x00660107, 'Description'),
    { label: 'Tracks', value: (one) => one.items(TRACKS).length },
    {
      label: 'Points',
      value: (one) =>
        one.items(TRACKS).reduce((sum, track) => sum + Math.floor(track.count(Tag.PointCoordinatesData) / 3), 0),
    },
  ]);
}

const MOST_NUMBERS = 3_000_000;

/** Extent in x, y and z of the points of a surface. */
function measureBox(points: DataSet | undefined): TableCell {
  const numbers = points?.numbers(Tag.PointCoordinatesData, MOST_NUMBERS) ?? [];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const [at, value] of numbers.entries()) {
    const axis = at % 3;
    if (!Number.isFinite(value)) return undefined;
    low[axis] = Math.min(low[axis] ?? Infinity, value);
    high[axis] = Math.max(high[axis] ?? -Infinity, value);
  }
  if (numbers.length < 3) return undefined;
  return [0, 1, 2].map((axis) => Math.round(((high[axis] ?? 0) - (low[axis] ?? 0)) * 10) / 10).join(' × ');
}
