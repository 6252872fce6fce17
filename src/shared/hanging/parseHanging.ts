import { parseWhere } from '../whereClause.ts';
import { CT_PRESETS } from '../windowPresets.ts';
import {
  HANGING_COLUMNS,
  type HangingCell,
  type HangingRows,
  type HangingRule,
  HUNG_LINKS,
  HUNG_VIEWS,
  type HungWindow,
} from './hangingRule.ts';

export type ParsedHanging =
  | { readonly ok: true; readonly rules: readonly HangingRule[] }
  | { readonly ok: false; readonly message: string };

const MOST_RULES = 200;
const MOST_SIDE = 4;

/** Reads a file of hanging rules. A message says where in the file it is wrong: `rules[0].cells[2].series: …`. */
export function parseHanging(text: string): ParsedHanging {
  try {
    const file = readObject(readJson(text), '', ['rules']);
    const rules = readList(file['rules'], 'rules', MOST_RULES);
    return { ok: true, rules: rules.map((rule, i) => readRule(rule, `rules[${i}]`)) };
  } catch (error) {
    if (!(error instanceof HangingError)) throw error;
    return { ok: false, message: error.message };
  }
}

class HangingError extends Error {}

function fail(at: string, problem: string): never {
  throw new HangingError(at === '' ? problem : `${at}: ${problem}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail('', `this is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function readObject(value: unknown, at: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(at, 'an object is expected');
  const fields = Object.fromEntries(Object.entries(value));
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return fail(join(at, unknown), `there is no such field; there are ${known.join(', ')}`);
  }
  return fields;
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function readList(value: unknown, at: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) return fail(at, 'a list is expected');
  if (value.length > most) return fail(at, `more than ${most}`);
  return value;
}

const RULE_FIELDS = ['name', 'when', 'unless', 'layout', 'rows', 'cells', 'links'];

function readRule(value: unknown, at: string): HangingRule {
  const fields = readObject(value, at, RULE_FIELDS);
  const layout = readLayout(fields['layout'], `${at}.layout`);
  const rows = fields['rows'] === undefined ? undefined : readRows(fields['rows'], `${at}.rows`);
  const most = rows === undefined ? layout.rows * layout.columns : layout.columns;
  const cells = readList(fields['cells'], `${at}.cells`, most).map((cell, i) => readCell(cell, `${at}.cells[${i}]`));
  if (cells.length === 0) return fail(`${at}.cells`, 'at least one cell is expected');
  const links = readList(fields['links'] ?? [], `${at}.links`, HUNG_LINKS.length).map((link, i) =>
    readTerm(link, `${at}.links[${i}]`, HUNG_LINKS),
  );
  return {
    name: readText(fields['name'], `${at}.name`),
    when: readConditions(fields['when'], `${at}.when`),
    unless: readConditions(fields['unless'], `${at}.unless`),
    layout,
    ...(rows !== undefined && { rows }),
    cells,
    links,
  };
}

function readText(value: unknown, at: string): string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 200
    ? value
    : fail(at, 'a text of 1 to 200 characters is expected');
}

function readTerm<Term extends string>(value: unknown, at: string, terms: readonly Term[]): Term {
  const term = terms.find((one) => one === value);
  return term ?? fail(at, `${JSON.stringify(value) ?? 'nothing'} is none of ${terms.join(', ')}`);
}

function readFlag(value: unknown, at: string): boolean {
  return value === undefined ? false : typeof value === 'boolean' ? value : fail(at, 'true or false is expected');
}

/** One condition or a list of them. */
function readConditions(value: unknown, at: string): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [readCondition(value, at)];
  return readList(value, at, 20).map((one, i) => readCondition(one, `${at}[${i}]`));
}

function readCondition(value: unknown, at: string): string {
  if (typeof value !== 'string') return fail(at, 'a condition is expected, such as "Modality = \'MR\'"');
  const parsed = parseWhere(value, HANGING_COLUMNS);
  if (parsed.ok) return value;
  const columns = parsed.unknown !== undefined ? `; there are ${HANGING_COLUMNS.join(', ')}` : '';
  return fail(at, `${parsed.message}${columns}`);
}

function readLayout(value: unknown, at: string): HangingRule['layout'] {
  const [, rows, columns] = /^([1-9])x([1-9])$/.exec(typeof value === 'string' ? value : '') ?? [];
  const layout = { rows: Number(rows), columns: Number(columns) };
  const isRight = layout.rows <= MOST_SIDE && layout.columns <= MOST_SIDE;
  return isRight ? layout : fail(at, `rows x columns are expected, from "1x1" to "${MOST_SIDE}x${MOST_SIDE}"`);
}

function readRows(value: unknown, at: string): HangingRows {
  const fields = readObject(value, at, ['by', 'of']);
  const of = readList(fields['of'], `${at}.of`, 20).map((one, i) => readText(one, `${at}.of[${i}]`));
  return { by: readTerm(fields['by'], `${at}.by`, HANGING_COLUMNS), of };
}

const CELL_FIELDS = ['role', 'series', 'prefer', 'largest', 'view', 'window', 'layers', 'optional', 'posterior'];

function readCell(value: unknown, at: string): HangingCell {
  const fields = readObject(value, at, CELL_FIELDS);
  const series = readCondition(fields['series'], `${at}.series`);
  const { prefer, posterior } = fields;
  return {
    role: fields['role'] === undefined ? series : readText(fields['role'], `${at}.role`),
    series,
    ...(prefer !== undefined && { prefer: readCondition(prefer, `${at}.prefer`) }),
    ...(readFlag(fields['largest'], `${at}.largest`) && { largest: true }),
    view: readTerm(fields['view'] ?? 'images', `${at}.view`, HUNG_VIEWS),
    window: readWindow(fields['window'] ?? 'file', `${at}.window`),
    layers: readConditions(fields['layers'], `${at}.layers`),
    optional: readFlag(fields['optional'], `${at}.optional`),
    ...(posterior !== undefined && { posterior: readTerm(posterior, `${at}.posterior`, ['left', 'right']) }),
  };
}

function readWindow(value: unknown, at: string): HungWindow {
  if (value === 'file' || value === 'full') return value;
  if (typeof value === 'string') {
    const preset = CT_PRESETS.find(({ name }) => name.toLowerCase() === value.toLowerCase());
    const names = CT_PRESETS.map(({ name }) => name).join(', ');
    if (preset === undefined)
      return fail(at, `there is no window ${JSON.stringify(value)}; there are file, full, ${names}`);
    return { center: preset.center, width: preset.width };
  }
  const { center, width } = readObject(value, at, ['center', 'width']);
  // Numbers such as 1e999 are infinite.
  if (typeof center !== 'number' || !Number.isFinite(center)) return fail(`${at}.center`, 'a number is expected');
  if (typeof width !== 'number' || !Number.isFinite(width) || width <= 0)
    return fail(`${at}.width`, 'a number above 0 is expected');
  return { center, width };
}
