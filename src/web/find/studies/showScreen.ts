import {
  type CellLinks,
  cellsOf,
  type CellState,
  type CellWindow,
  EMPTY_CELL,
  type GridLayout,
} from '../../kit/state/cells.ts';
import { showCells } from '../../kit/state/cohortPlace.ts';
import { hasLayer, isField, layersOf, setLayerShown } from '../../kit/state/layers.ts';
import { stackOf } from '../../kit/state/library.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { Page } from '../../kit/state/page.ts';
import { openOverTarget } from '../../over/layers/openOverTarget.ts';
import { setCrosshair } from '../../show/pictures/crosshair.ts';
import { spaceOf } from '../../show/pictures/findPositionAt.ts';
import { findMiddleOf, pictureOf } from '../../show/pictures/pictureKinds.ts';
import { fileInCell } from './fileInCell.ts';
import type { StudySeries } from './studySeries.ts';

/** What a cell shall show. */
export type WantedCell = {
  readonly series: StudySeries;
  /** Planes of the volume or a MIP, as the address names them; undefined for the stored images. */
  readonly plane: string | undefined;
  readonly look: Partial<CellState> & { readonly window: CellWindow };
  readonly layers: readonly FileRecord[];
};

export type WantedScreen = {
  readonly layout: GridLayout;
  /** Row by row. */
  readonly cells: readonly (WantedCell | undefined)[];
  readonly links: CellLinks;
  /** Absent: the first cell that shows something. */
  readonly activeCell?: number;
  readonly maximisedCell?: number | undefined;
};

/** Shows all cells at once. False if the user has opened something else meanwhile, which stays. */
export async function showScreen(page: Page, wanted: WantedScreen): Promise<boolean> {
  const { layout, cells, links, maximisedCell } = wanted;
  const isUnchanged = watchPictures(page);
  const opened = dropRepeated(await Promise.all(cells.map(async (cell) => cell && openWanted(page, cell))));
  if (!isUnchanged()) return false;
  showCells(page);
  const firstShown = Math.max(
    0,
    cells.findIndex((cell) => cell !== undefined),
  );
  cellsOf(page).setState(({ cells: before }) => ({
    layout,
    cells: before.map((_, at) => opened[at]?.state ?? EMPTY_CELL),
    activeCell: wanted.activeCell ?? firstShown,
    maximisedCell,
    // Each layer is shown in its own cell first.
    links: { ...links, layers: false },
  }));
  showLayers(page, cells);
  if (links.layers) cellsOf(page).setState({ links });
  for (const [at, cell] of opened.entries()) {
    const source = pictureOf(page, at);
    const space = source && spaceOf(source);
    if (cell?.middle !== undefined && space !== undefined) setCrosshair(page, space, cell.middle);
  }
  return true;
}

/** Whether all cells still show what they show now. */
function watchPictures(page: Page): () => boolean {
  const listPictures = () => {
    const { cells, layout } = cellsOf(page).getState();
    // Not by id: that of a stack changes when the series are known.
    const pictures = [...cells.keys()].map((cell) => [
      fileInCell(page, cell)?.series_instance_uid,
      pictureOf(page, cell)?.volume !== undefined,
    ]);
    return JSON.stringify([layout, pictures]);
  };
  const before = listPictures();
  return () => listPictures() === before;
}

/** A series that is no volume is shown once, and not in the cell of each of its planes. */
function dropRepeated(opened: readonly (Opened | undefined)[]): readonly (Opened | undefined)[] {
  const ids = opened.map((cell) => cell?.state.pictureId);
  return opened.map((cell, at) =>
    cell?.isInstead === true && ids.indexOf(cell.state.pictureId) < at ? undefined : cell,
  );
}

type Opened = {
  readonly state: CellState;
  readonly middle?: readonly [number, number, number];
  /** Stored images instead of planes. */
  readonly isInstead?: true;
};

async function openWanted(page: Page, { series, plane, look }: WantedCell): Promise<Opened> {
  const { stack, position } = series;
  const stored: Opened = { state: { ...EMPTY_CELL, ...look, pictureId: stack.id, position, isAtStart: true } };
  const [first] = stack.frames;
  if (plane === undefined || first === undefined) return stored;
  const found = await findMiddleOf(page, { fileIndex: first.fileIndex, frame: first.frame }, plane);
  if (found === undefined) return { ...stored, isInstead: true };
  return {
    state: { ...EMPTY_CELL, ...look, pictureId: found.id, position: found.position },
    middle: found.point,
  };
}

function showLayers(page: Page, cells: readonly (WantedCell | undefined)[]): void {
  layersOf(page).setState(({ byCell }) => {
    const kept = [...byCell].filter(([cell]) => cell >= cells.length);
    return { byCell: new Map(kept) };
  });
  for (const [at, cell] of cells.entries()) {
    if (cell === undefined) continue;
    for (const file of cell.layers) setLayerShown(page, at, layerOf(page, file), true);
    // A segmentation is seen over its images, wherever they are.
    if (cell.plane === undefined && hasLayer(cell.series.file)) void openOverTarget(page, cell.series.file.index, at);
  }
}

/** A volume that lies over others is named by its first file. */
function layerOf(page: Page, file: FileRecord): number {
  return isField(file) ? stackOf(page, file).fileIndex : file.index;
}
