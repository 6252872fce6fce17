import type { WireTableColumn } from '../../../shared/contract/tables.ts';
import { titleOf, vrOf, type ElementPath } from '../../standard/dicom/elementPath.ts';
import { tagToString } from '../../standard/dicom/tag.ts';
import type { RecordColumn } from '../catalog/indexColumns.ts';
import type { HarvestedColumn } from './harvest.ts';
import type { PeopleColumnInfo } from './peopleColumn.ts';
import { kindOfType, USUAL_COLUMNS } from './tableColumns.ts';
import type { ColumnFacts } from './tableData.ts';

/** `total` is the number of files; without facts, the values have not been counted. */
type Counted = { readonly facts: ColumnFacts | undefined; readonly total: number };

export function describeRecord({ name, type, element }: RecordColumn, { facts, total }: Counted): WireTableColumn {
  return {
    name,
    title: element === undefined ? name : titleOf(element),
    ...describePath(element),
    kind: kindOfType(type),
    origin: 'scan',
    is_usual: USUAL_COLUMNS.has(name),
    ...READY,
    done: total,
    ...describeValues(facts),
    total,
  };
}

export function describeElement(entry: HarvestedColumn, { facts, total }: Counted): WireTableColumn {
  const { column, done, unread, failure } = entry;
  const isReady = failure === undefined && done >= total;
  return {
    name: column.name,
    title: titleOf(column.path),
    ...describePath(column.path),
    kind: facts?.kind ?? kindOfType(column.type),
    origin: 'header',
    is_usual: false,
    state: failure !== undefined ? 'failed' : isReady ? 'ready' : 'harvesting',
    problem: failure ?? (unread === 0 ? null : `${unread} ${unread === 1 ? 'file' : 'files'} could not be read`),
    done: Math.min(done, total),
    ...describeValues(facts),
    total,
  };
}

export function describePeople(
  { name, title, merge, isUsual = false }: PeopleColumnInfo,
  { facts, total }: Counted,
): WireTableColumn {
  return {
    name,
    title,
    ...describePath(undefined),
    kind: merge === 'texts' ? 'text' : 'number',
    origin: 'people',
    is_usual: isUsual,
    ...READY,
    done: total,
    ...describeValues(facts),
    total,
  };
}

const READY = { state: 'ready', problem: null } as const;

function describePath(path: ElementPath | undefined): Pick<WireTableColumn, 'path' | 'tag' | 'vr'> {
  if (path === undefined) return { path: null, tag: null, vr: null };
  const { name, element } = path;
  return { path: name, tag: 'tag' in element ? tagToString(element.tag) : null, vr: vrOf(element) ?? null };
}

/** More different values are no list to choose from. */
const MOST_DISTINCT = 1_000;

function describeValues(facts: ColumnFacts | undefined): Pick<WireTableColumn, 'filled' | 'distinct'> {
  if (facts === undefined) return { filled: null, distinct: null };
  return { filled: facts.filled, distinct: facts.distinct > MOST_DISTINCT ? null : facts.distinct };
}
