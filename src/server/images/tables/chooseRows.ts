import { parseWhere, type WhereNode } from '../../../shared/whereClause.ts';
import type { EncodedColumn } from './encodedColumn.ts';
import { ColumnGone, type TableData } from './tableData.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';

// What a condition says of a row.
const NO = 0;
const YES = 1;
const UNKNOWN = 2;

/** The rows of a level that a condition chooses, in the order of their first files. */
export function chooseRows(data: TableData, level: TableLevel, where: string | undefined): Uint32Array {
  const files = chooseFiles(data, where);
  const { rows } = data;
  if (level === 'file') return listSet(files);
  const chosen = new Uint8Array(rows.rowCount(level));
  for (let file = 0; file < rows.count; file += 1) if (files[file] === YES) chosen[rows.rowOf(level, file)] = YES;
  return listSet(chosen);
}

/** YES for each file that is there and that the condition chooses. */
export function chooseFiles(data: TableData, where: string | undefined): Uint8Array {
  const { rows } = data;
  const chosen = where === undefined ? new Uint8Array(rows.count).fill(YES) : test(data, where);
  for (let file = 0; rows.goneCount > 0 && file < rows.count; file += 1) if (rows.isGone(file)) chosen[file] = NO;
  return chosen;
}

function listSet(chosen: Uint8Array): Uint32Array {
  let count = 0;
  for (let row = 0; row < chosen.length; row += 1) if (chosen[row] === YES) count += 1;
  const list = new Uint32Array(count);
  let at = 0;
  for (let row = 0; row < chosen.length; row += 1) if (chosen[row] === YES) list[at++] = row;
  return list;
}

function test(data: TableData, where: string): Uint8Array {
  const parsed = parseWhere(where, (name) => data.findName(name));
  // It was parsed before, when all of its columns were there.
  if (!parsed.ok) throw new ColumnGone(parsed.message);
  const columns = new Map(parsed.where.columns.map((name) => [name, data.column(name, 'file').column]));
  return testNode(parsed.where.node, columns, data.rows.count);
}

type Columns = ReadonlyMap<string, EncodedColumn>;

/** A condition is looked at column by column, and not file by file: a comparison once for each different value. */
function testNode(node: WhereNode, columns: Columns, count: number): Uint8Array {
  if (node.kind === 'comparison') return testComparison(node, columns, count);
  if (node.kind === 'not') {
    const result = testNode(node.node, columns, count);
    for (let row = 0; row < count; row += 1) result[row] = NEGATED[result[row]!]!;
    return result;
  }
  const [first, ...others] = node.nodes;
  const result = testNode(first!, columns, count);
  const joined = node.kind === 'and' ? CONJUNCTION : DISJUNCTION;
  for (const other of others) {
    const next = testNode(other, columns, count);
    for (let row = 0; row < count; row += 1) result[row] = joined[3 * result[row]! + next[row]!]!;
  }
  return result;
}

const NEGATED = [YES, NO, UNKNOWN];
/** By 3 a + b. */
const CONJUNCTION = [NO, NO, NO, NO, YES, UNKNOWN, NO, UNKNOWN, UNKNOWN];
const DISJUNCTION = [NO, YES, UNKNOWN, YES, YES, YES, UNKNOWN, YES, UNKNOWN];

function testComparison(node: Extract<WhereNode, { kind: 'comparison' }>, columns: Columns, count: number): Uint8Array {
  const result = new Uint8Array(count);
  const [name, second] = node.columns;
  const column = columns.get(name ?? '');
  if (column === undefined) return result.fill(toResult(node.test({})));
  if (second !== undefined) {
    const named = node.columns.map((one) => [one, columns.get(one)!] as const);
    const values: Record<string, unknown> = {};
    for (let row = 0; row < count; row += 1) {
      for (const [one, of] of named) values[one] = of.valueAt(row);
      result[row] = toResult(node.test(values));
    }
    return result;
  }
  const ofCodes = new Uint8Array(column.distinct + 1);
  for (let code = 0; code < ofCodes.length; code += 1) {
    ofCodes[code] = toResult(node.test({ [name!]: column.valueOf(code) }));
  }
  for (let row = 0; row < count; row += 1) result[row] = ofCodes[column.codeAt(row)]!;
  return result;
}

function toResult(result: boolean | null): number {
  return result === null ? UNKNOWN : Number(result);
}
