import { parseWhere } from '../whereClause.ts';
import {
  HANGING_COLUMNS,
  type HangingCell,
  type HangingRule,
  type HungLink,
  type HungSeries,
  type HungView,
  type HungWindow,
} from './hangingRule.ts';

/** What a cell shows. */
export type PlannedCell = {
  readonly role: string;
  readonly series: HungSeries;
  readonly view: HungView;
  readonly window: HungWindow;
  readonly layers: readonly HungSeries[];
  /** The rows of the image run the wrong way for the side that the rule wants. */
  readonly isMirrored: boolean;
};

export type HangingPlan = {
  /** The name of the rule; undefined if none fits. */
  readonly rule: string | undefined;
  readonly layout: { readonly rows: number; readonly columns: number };
  /** Row by row; undefined for a cell that stays empty. */
  readonly cells: readonly (PlannedCell | undefined)[];
  readonly links: readonly HungLink[];
  /** Why rules that are about such a study do not fit it. */
  readonly notes: readonly string[];
};

/** Finds the first rule that fits a study. If none does, its first images are shown in one cell; undefined without any. */
export function planHanging(rules: readonly HangingRule[], study: readonly HungSeries[]): HangingPlan | undefined {
  const notes: string[] = [];
  for (const rule of rules) {
    const isMet = (condition: string) => study.some((series) => meets(series, condition));
    if (!rule.when.every(isMet) || rule.unless.some(isMet)) continue;
    const cells = fillCells(rule, study);
    if (typeof cells === 'string') notes.push(`The rule "${rule.name}" does not fit: ${cells}.`);
    else return { rule: rule.name, ...arrange(cells, rule), links: rule.links, notes };
  }
  const first = study.find((series) => meets(series, 'Images > 0')) ?? study[0];
  if (first === undefined) return undefined;
  const cell: PlannedCell = {
    role: 'first series',
    series: first,
    view: 'images',
    window: 'file',
    layers: [],
    isMirrored: false,
  };
  return { rule: undefined, layout: { rows: 1, columns: 1 }, cells: [cell], links: [], notes };
}

/** A condition that cannot be read is met by nothing; files of rules are checked before. */
export function meets({ values }: HungSeries, condition: string): boolean {
  const parsed = parseWhere(condition, HANGING_COLUMNS);
  return parsed.ok && parsed.where.test(values) === true;
}

type Cells = (PlannedCell | undefined)[];

/** A text says what is missing. */
function fillCells(rule: HangingRule, study: readonly HungSeries[]): Cells | string {
  const taken = new Set<string>();
  const cells = listCells(rule, study).map((cell) => fillCell(cell, study, taken));
  const missing = cells.find((cell) => typeof cell === 'string');
  if (missing !== undefined) return missing;
  if (cells.every((cell) => cell === undefined)) return 'there is no series for any of its cells';
  return cells.filter((cell) => typeof cell !== 'string');
}

/** The cells of the rule; if it repeats them, those of each row whose value the study has. */
function listCells({ rows, cells, layout }: HangingRule, study: readonly HungSeries[]): readonly HangingCell[] {
  if (rows === undefined) return cells;
  const inRow = [...cells, ...Array.from({ length: layout.columns - cells.length }, () => EMPTY)];
  const values = rows.of.filter((value) =>
    study.some((series) => series.values[rows.by] === value && cells.some((cell) => meets(series, cell.series))),
  );
  return values.slice(0, layout.rows).flatMap((value) =>
    inRow.map((cell) => ({
      ...cell,
      role: `${value} ${cell.role}`,
      series: `(${cell.series}) and ${rows.by} = '${value.replaceAll("'", "''")}'`,
    })),
  );
}

const EMPTY: HangingCell = {
  role: '',
  series: 'Images < 0',
  view: 'images',
  window: 'file',
  layers: [],
  optional: true,
};

function fillCell(
  cell: HangingCell,
  study: readonly HungSeries[],
  taken: Set<string>,
): PlannedCell | undefined | string {
  const { role, view, window, posterior } = cell;
  const isFree = ({ id }: HungSeries) => !taken.has(`${id} ${view}`);
  const fitting = study.filter((series) => isFree(series) && meets(series, cell.series));
  const ranked = rank(fitting, cell, study);
  const [series] = ranked;
  if (series === undefined) return cell.optional ? undefined : `there is no series for "${role}"`;
  taken.add(`${series.id} ${view}`);
  const unwanted = posterior === 'left' ? 'P' : 'A';
  const isMirrored = posterior !== undefined && series.rowsTo.startsWith(unwanted);
  return { role, series, view, window, layers: listLayers(series, cell, study), isMirrored };
}

/** The best first; otherwise in the order of the study. */
function rank(fitting: readonly HungSeries[], cell: HangingCell, study: readonly HungSeries[]): readonly HungSeries[] {
  const { prefer, largest } = cell;
  const valueOf = (series: HungSeries) => [
    listLayers(series, cell, study).length,
    prefer !== undefined && meets(series, prefer) ? 1 : 0,
    largest === true ? Number(series.values.Images ?? 0) : 0,
  ];
  return fitting
    .map((series) => ({ series, value: valueOf(series) }))
    .toSorted((a, b) => {
      const differs = a.value.findIndex((one, i) => one !== b.value[i]);
      return differs < 0 ? 0 : (b.value[differs] ?? 0) - (a.value[differs] ?? 0);
    })
    .map(({ series }) => series);
}

/** What lies over a series: the first for each condition that is in the same frame of reference, as far as both declare one. */
function listLayers(series: HungSeries, { layers }: HangingCell, study: readonly HungSeries[]): readonly HungSeries[] {
  const isOver = (layer: HungSeries) => {
    const [own, other] = [series.frameOfReferenceUid, layer.frameOfReferenceUid];
    return layer.id !== series.id && (own === '' || other === '' || own === other);
  };
  const found = layers.flatMap((condition) => {
    const fitting = study.filter((layer) => isOver(layer) && meets(layer, condition));
    return fitting.toSorted((a, b) => Number(b.values.Images ?? 0) - Number(a.values.Images ?? 0)).slice(0, 1);
  });
  return [...new Set(found)];
}

/**
 * The layout without the rows and columns in which nothing is shown. What is left of repeated rows in one column is laid out
 * in a square as far as possible.
 */
function arrange(cells: Cells, { layout, rows }: HangingRule): Pick<HangingPlan, 'layout' | 'cells'> {
  const { columns } = layout;
  const at = (row: number, column: number) => cells[row * columns + column];
  const count = Math.ceil(cells.length / columns);
  const keptRows = range(count).filter((row) => range(columns).some((column) => at(row, column) !== undefined));
  const keptColumns = range(columns).filter((column) => keptRows.some((row) => at(row, column) !== undefined));
  const kept = keptRows.flatMap((row) => keptColumns.map((column) => at(row, column)));
  if (rows === undefined || keptColumns.length > 1)
    return { layout: { rows: keptRows.length, columns: keptColumns.length }, cells: kept };
  const across = Math.ceil(Math.sqrt(kept.length));
  return { layout: { rows: Math.ceil(kept.length / across), columns: across }, cells: kept };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
