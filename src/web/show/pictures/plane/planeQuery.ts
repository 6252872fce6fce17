import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { formatNumber, type PlaneSpec } from './planeSpec.ts';

type Sampling = Pick<PlaneSpec, 'slabMm' | 'projection' | 'time'> & {
  readonly sheetMm?: number;
  /** The nearest samples are taken, which is several times as fast as interpolation. */
  readonly isNearest?: boolean;
};

/** The samples of a plane as the server is asked for them. */
export function formatQuery(
  grid: PlaneGrid,
  { slabMm, sheetMm, projection, time, isNearest = false }: Sampling,
): string {
  return [
    formatShape(grid, slabMm),
    ...(slabMm > 0 ? [`projection=${projection}`] : []),
    ...(sheetMm === undefined ? [] : [`sheet=${formatNumber(sheetMm, 6)}`]),
    ...(isNearest ? ['interpolation=nearest'] : []),
    ...(time > 0 ? [`time=${time}`] : []),
  ].join('&');
}

/** Where the samples of a plane lie, without how they are made. */
export function formatShape(grid: PlaneGrid, slabMm: number): string {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, rows, columns } = grid;
  return [
    `position=${list(position)}`,
    `orientation=${list([...rowDirection, ...columnDirection])}`,
    `spacing=${list([rowSpacingMm, columnSpacingMm])}`,
    `rows=${rows}&columns=${columns}`,
    ...(slabMm > 0 ? [`slab=${formatNumber(slabMm, 6)}`] : []),
  ].join('&');
}

function list(numbers: readonly number[]): string {
  return numbers.map((number) => formatNumber(number, 12)).join();
}
