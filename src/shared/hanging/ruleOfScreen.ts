import {
  type HangingCell,
  type HangingColumn,
  type HangingRule,
  type HungLink,
  type HungSeries,
  type HungView,
  type HungWindow,
} from './hangingRule.ts';
import { meets } from './planHanging.ts';

/** What a cell of the screen shows, for a rule that shows the like of other studies. */
export type HungCell = {
  readonly series: HungSeries;
  readonly view: HungView;
  readonly window: HungWindow;
  readonly layers: readonly HungSeries[];
};

export type HungScreen = {
  readonly layout: HangingRule['layout'];
  /** Row by row. */
  readonly cells: readonly (HungCell | undefined)[];
  readonly links: readonly HungLink[];
};

/** A rule that shows the present study as it is on the screen, and studies like it in the same way. */
export function ruleOfScreen(
  name: string,
  { layout, cells, links }: HungScreen,
  study: readonly HungSeries[],
): HangingRule {
  const shown = cells.map((cell): HangingCell => {
    if (cell === undefined) return { ...NOTHING };
    const { series, view, window, layers } = cell;
    const condition = conditionOf(series, study);
    return {
      role: roleOf(series, view),
      series: condition,
      view,
      window,
      layers: layers.map((layer) => conditionOf(layer, study)),
      optional: false,
    };
  });
  const modalities = new Set(cells.flatMap((cell) => cell?.series.values.Modality ?? []));
  const when = [...modalities].map((modality) => `Modality = ${quote(modality)}`);
  return { name, when, unless: [], layout, cells: shown, links };
}

const NOTHING: HangingCell = {
  role: 'empty',
  series: 'Images < 0',
  view: 'images',
  window: 'file',
  layers: [],
  optional: true,
};

/** What tells series of one modality apart in other studies as well; then what tells them apart in this one. */
const GENERAL: readonly HangingColumn[] = ['Modality', 'ImageLaterality', 'ViewPosition', 'Plane', 'Weighting'];
const SPECIAL: readonly HangingColumn[] = ['SeriesDescription', 'Images', 'SeriesNumber'];

function conditionOf(series: HungSeries, study: readonly HungSeries[]): string {
  const parts = GENERAL.flatMap((column) => partOf(series, column) ?? []);
  for (const column of SPECIAL) {
    const [first] = study.filter((one) => meets(one, parts.join(' and ')));
    if (first === series || first === undefined) break;
    const part = partOf(series, column);
    if (part !== undefined) parts.push(part);
  }
  return parts.join(' and ');
}

function partOf({ values }: HungSeries, column: HangingColumn): string | undefined {
  const value = values[column];
  return value === null || value === '' ? undefined : `${column} = ${quote(value)}`;
}

function quote(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function roleOf({ values }: HungSeries, view: HungView): string {
  const { Modality, Weighting, Plane, ImageLaterality, ViewPosition } = values;
  const plane = view === 'images' ? Plane : view;
  const parts = [Modality, Weighting, plane, ImageLaterality, ViewPosition];
  return parts.filter((part) => part !== null && part !== '').join(' ') || 'series';
}
