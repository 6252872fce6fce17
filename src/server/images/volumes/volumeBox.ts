import { dot, inPlaneAxes, normalOf, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid, Slab } from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { PlacedPart, PlanePart, PlaceRange, VolumeBox } from './volume.ts';

/** Finds what parts of a plane or slab need of a volume. */
export interface BoxFinder {
  /** Undefined if the part lies beside the volume. */
  find(part: PlanePart): VolumeBox | undefined;
  /**
   * The pieces of a part that touch the volume, as few as fit with what they need: the part itself if it does. The sheets
   * of a sample come in ascending order. A piece that consists of one sample is returned also if it does not fit.
   */
  divide(part: PlanePart, rules: PartRules): Generator<PlacedPart, void>;
}

export type PartRules = {
  /** A part that does not fit is divided. */
  readonly fits: (placed: PlacedPart) => boolean;
  /** A part that needs much more than it shows is divided if its halves need less. */
  readonly isSparse?: (placed: PlacedPart) => boolean;
};

/** Rows and columns on each side beyond those that a plane passes through: its neighbours, and one for rounding. */
const SPARE = 2;
/** Halves are worth the second reading if they need at most this part of what the whole needs. */
const MOST_OF_HALVES = 0.8;
/** A part of the distance of slices that is more than the error of arithmetic with coordinates. */
const ROUNDING = 1e-4;
/** A straight part may have this many times the samples of one that follows the plane: it is read and used more quickly. */
const MOST_STRAIGHT = 1.5;

export function createBoxFinder(table: PositionTable, grid: PlaneGrid, slab: Slab): BoxFinder {
  const { positionsMm, spacingMm } = table;
  const end = positionsMm.length - 1;
  const normal = normalOf(table);
  const across = normalOf(grid);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const rowOf = (point: Vector3) => dot(point, downColumn) / table.rowSpacingMm;
  const columnOf = (point: Vector3) => dot(point, alongRow) / table.columnSpacingMm;
  const points = Array.from(positionsMm, (_, place) => pointAt(table, place));
  const originRows = findReaches(Float64Array.from(points, rowOf));
  const originColumns = findReaches(Float64Array.from(points, columnOf));
  const roundingMm = ROUNDING * spacingMm;
  const reachMm = Math.max(spacingMm, positionsMm[1]! - positionsMm[0]!, positionsMm[end]! - positionsMm[end - 1]!);

  function cornersOf({ rows, columns, sheets }: PlanePart): Corner[] {
    return [rows.first, rows.last].flatMap((row) =>
      [columns.first, columns.last].flatMap((column) =>
        [sheets.first, sheets.last].map((sheet) => {
          const [x, y, z] = pixelToPatient(grid, { row, column });
          const aside = sheet * slab.stepMm;
          const point: Vector3 = [x + across[0] * aside, y + across[1] * aside, z + across[2] * aside];
          return { z: dot(point, normal), row: rowOf(point), column: columnOf(point) };
        }),
      ),
    );
  }

  function find(part: PlanePart): VolumeBox | undefined {
    const corners = cornersOf(part);
    const heights = corners.map(({ z }) => z);
    const [leastMm, mostMm] = [Math.min(...heights) - roundingMm, Math.max(...heights) + roundingMm];
    if (mostMm < positionsMm[0]! - reachMm || leastMm > positionsMm[end]! + reachMm) return undefined;
    let first = 0;
    while (first < end && positionsMm[first + 1]! <= leastMm) first += 1;
    let last = first;
    while (last < end && positionsMm[last]! < mostMm) last += 1;
    const reached: (Rectangle | undefined)[] = [];
    for (let place = first; place <= last; place += 1) {
      // A slice counts up to those beside it, and the outermost ones beyond.
      const fromMm = place === 0 ? -Infinity : positionsMm[place - 1]! - roundingMm;
      const toMm = place === end ? Infinity : positionsMm[place + 1]! + roundingMm;
      const cut = cutCorners(corners, fromMm, toMm);
      const rows = cut && toIndices(cut.rows, originRows[place]!, table.rows);
      const columns = cut && toIndices(cut.columns, originColumns[place]!, table.columns);
      reached.push(rows && columns && { rows, columns });
    }
    return joinRectangles(reached, first, table);
  }

  function* divide(part: PlanePart, rules: PartRules): Generator<PlacedPart, void> {
    const box = find(part);
    if (box === undefined) return;
    const placed = { part, box };
    const fits = rules.fits(placed);
    const halves = fits && rules.isSparse?.(placed) !== true ? undefined : chooseHalves(part);
    const isWorthIt = halves !== undefined && (!fits || halves.samples <= MOST_OF_HALVES * countSamples(box));
    if (isWorthIt) for (const half of halves.parts) yield* divide(half, rules);
    else yield placed;
  }

  /** The halves that need least of the volume, across the longest side if there are several; none of a single sample. */
  function chooseHalves(part: PlanePart) {
    const [best] = listHalves(part, grid, slab)
      .map((parts) => ({ parts, samples: parts.reduce((sum, half) => sum + samplesOf(find(half)), 0) }))
      .toSorted((a, b) => a.samples - b.samples);
    return best;
  }

  return { find, divide };
}

export function wholePart(grid: Pick<PlaneGrid, 'rows' | 'columns'>, slab: Pick<Slab, 'first' | 'last'>): PlanePart {
  return {
    rows: { first: 0, last: grid.rows - 1 },
    columns: { first: 0, last: grid.columns - 1 },
    sheets: { first: -slab.first, last: slab.last },
  };
}

/** The same part of all slices of a range. */
export function straightBox(places: PlaceRange, rows: PlaceRange, columns: PlaceRange): VolumeBox {
  const count = lengthOfRange(places);
  return {
    places,
    rows: lengthOfRange(rows),
    columns: lengthOfRange(columns),
    tops: new Uint32Array(count).fill(rows.first),
    lefts: new Uint32Array(count).fill(columns.first),
  };
}

/** Undefined if the part begins elsewhere in some of the slices. */
export function findStraight({ tops, lefts, rows, columns }: VolumeBox): Rectangle | undefined {
  const [top = 0] = tops;
  const [left = 0] = lefts;
  if (!tops.every((one) => one === top) || !lefts.every((one) => one === left)) return undefined;
  return { rows: { first: top, last: top + rows - 1 }, columns: { first: left, last: left + columns - 1 } };
}

export function countSamples({ rows, columns, tops }: VolumeBox): number {
  return tops.length * rows * columns;
}

export function lengthOfRange({ first, last }: PlaceRange): number {
  return last - first + 1;
}

type Rectangle = { readonly rows: PlaceRange; readonly columns: PlaceRange };
type Reach = { readonly least: number; readonly most: number };
/** A corner of a part: its height, and row and column from an origin that all slices share. */
type Corner = { readonly z: number; readonly row: number; readonly column: number };

/** Where the origin can be from the slice before to the one after each, and as far beyond the first and the last. */
function findReaches(origins: Float64Array): Reach[] {
  return Array.from(origins, (own, place) => {
    const before = origins[place - 1] ?? 2 * own - origins[place + 1]!;
    const after = origins[place + 1] ?? 2 * own - origins[place - 1]!;
    return { least: Math.min(before, own, after), most: Math.max(before, own, after) };
  });
}

/** The extent of the part between two heights; undefined if it does not reach there. */
function cutCorners(corners: readonly Corner[], fromMm: number, toMm: number) {
  let [leastRow, mostRow, leastColumn, mostColumn] = [Infinity, -Infinity, Infinity, -Infinity];
  const add = (row: number, column: number) => {
    leastRow = Math.min(leastRow, row);
    mostRow = Math.max(mostRow, row);
    leastColumn = Math.min(leastColumn, column);
    mostColumn = Math.max(mostColumn, column);
  };
  for (const [number, a] of corners.entries()) {
    if (a.z >= fromMm && a.z <= toMm) add(a.row, a.column);
    // The ends of an edge differ in one of three choices.
    for (const choice of [1, 2, 4]) {
      const b = corners[number ^ choice]!;
      if (number & choice || a.z === b.z) continue;
      for (const height of [fromMm, toMm]) {
        const way = (height - a.z) / (b.z - a.z);
        if (way >= 0 && way <= 1) add(a.row + way * (b.row - a.row), a.column + way * (b.column - a.column));
      }
    }
  }
  if (leastRow > mostRow) return undefined;
  return { rows: { least: leastRow, most: mostRow }, columns: { least: leastColumn, most: mostColumn } };
}

/** Undefined if none of `count` rows or columns is reached. */
function toIndices(extent: Reach, origin: Reach, count: number): PlaceRange | undefined {
  const first = Math.floor(extent.least - origin.most) - SPARE;
  const last = Math.ceil(extent.most - origin.least) + SPARE;
  if (!(last >= 0 && first < count)) return undefined;
  return { first: Math.max(0, first), last: Math.min(count - 1, last) };
}

function joinRectangles(
  reached: readonly (Rectangle | undefined)[],
  firstPlace: number,
  table: PositionTable,
): VolumeBox | undefined {
  const begin = reached.findIndex((one) => one !== undefined);
  if (begin < 0) return undefined;
  const some = reached.slice(begin, reached.findLastIndex((one) => one !== undefined) + 1);
  const places = { first: firstPlace + begin, last: firstPlace + begin + some.length - 1 };
  const found = some.filter((one) => one !== undefined);
  const rows = unite(found.map((one) => one.rows));
  const columns = unite(found.map((one) => one.columns));
  const height = found.reduce((most, one) => Math.max(most, lengthOfRange(one.rows)), 0);
  const width = found.reduce((most, one) => Math.max(most, lengthOfRange(one.columns)), 0);
  if (lengthOfRange(rows) * lengthOfRange(columns) <= MOST_STRAIGHT * height * width) {
    return straightBox(places, rows, columns);
  }
  const tops = some.map((one) => Math.min(one?.rows.first ?? 0, table.rows - height));
  const lefts = some.map((one) => Math.min(one?.columns.first ?? 0, table.columns - width));
  return { places, rows: height, columns: width, tops: Uint32Array.from(tops), lefts: Uint32Array.from(lefts) };
}

function unite(ranges: readonly PlaceRange[]): PlaceRange {
  return ranges.reduce((all, { first, last }) => ({
    first: Math.min(all.first, first),
    last: Math.max(all.last, last),
  }));
}

/** The two halves across each side that has any, the longest side first. */
function listHalves(part: PlanePart, grid: PlaneGrid, slab: Slab): readonly (readonly PlanePart[])[] {
  const sides = [
    { name: 'rows', stepMm: grid.rowSpacingMm },
    { name: 'columns', stepMm: grid.columnSpacingMm },
    { name: 'sheets', stepMm: slab.stepMm },
  ] as const;
  return sides
    .filter(({ name }) => part[name].last > part[name].first)
    .toSorted((a, b) => lengthOfRange(part[b.name]) * b.stepMm - lengthOfRange(part[a.name]) * a.stepMm)
    .map(({ name }) => {
      const { first, last } = part[name];
      const middle = Math.floor((first + last) / 2);
      return [
        { ...part, [name]: { first, last: middle } },
        { ...part, [name]: { first: middle + 1, last } },
      ];
    });
}

function samplesOf(box: VolumeBox | undefined): number {
  return box === undefined ? 0 : countSamples(box);
}

function pointAt({ points }: PositionTable, place: number): Vector3 {
  return [points[3 * place]!, points[3 * place + 1]!, points[3 * place + 2]!];
}
