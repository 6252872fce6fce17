import type { WsiTilesResponse } from '../../../../shared/contract/wsi.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import type { PictureChoice, Tile, TileIndex } from '../../../kit/state/shownTiles.ts';
import { isOverlapping, type Rectangle, type Size } from '../../../kit/state/viewState.ts';

export type OpticalPath = {
  readonly key: string;
  readonly label: string;
  readonly objectivePower: number | undefined;
  readonly wavelengthNm: number | undefined;
};
export type FocalPlane = { readonly um: number | undefined; readonly index: number };

/** The positions of the tiles of one level. */
export interface LevelTiles {
  readonly index: TileIndex;
  readonly paths: readonly OpticalPath[];
  readonly planes: readonly FocalPlane[];
  /** The color that the file recommends for areas without tiles. */
  readonly background: readonly [number, number, number] | undefined;
  /** The tiles that overlap the rectangle. A level without the chosen picture returns the nearest one that it has. */
  find(rectangle: Rectangle, choice: PictureChoice): Tile[];
  /** The position of a frame that belongs to the picture. */
  place(address: FrameAddress, choice: PictureChoice): Tile | undefined;
  choiceOf(fileIndex: number, frame: number): PictureChoice | undefined;
  /** Some frame of the picture. */
  findFrame(choice: PictureChoice): FrameAddress | undefined;
}

type Picture = { readonly path: number; readonly plane: number };

/** The tiles of one file of the level. Several files hold its parts, its optical paths or its focal planes. */
type TileFile = {
  readonly index: number;
  readonly answer: WsiTilesResponse;
  readonly paths: readonly OpticalPath[];
  readonly planes: readonly (number | undefined)[];
  list(rectangle: Rectangle, picture: Picture): Iterable<Place>;
  /** Undefined for a frame that does not belong to the picture or has no declared position. */
  placeOf(frame: number, picture: Picture): Place | undefined;
  pictureOf(frame: number): Picture;
  firstFrame(picture: Picture): number | undefined;
};

type Place = { readonly frame: number; readonly x: number; readonly y: number };

export function buildLevelTiles(level: Size, answers: readonly WsiTilesResponse[]): LevelTiles {
  const files = answers.map((answer) => buildFile(level, answer));
  const paths = uniqueBy(
    files.flatMap((file) => file.paths),
    ({ key }) => key,
  );
  const planes = listPlanes(files);
  const absent = answers.find(({ absent_pixel_rgb }) => absent_pixel_rgb !== null)?.absent_pixel_rgb;
  const [red, green, blue] = absent ?? [];

  const pictureIn = (file: TileFile, choice: PictureChoice): Picture | undefined => {
    const key = (paths.find((path) => path.key === choice.path) ?? paths[0])?.key;
    const path = file.paths.findIndex((each) => each.key === key);
    const plane = planeIn(file, nearestPlane(planes, choice));
    return path < 0 || plane < 0 ? undefined : { path, plane };
  };

  const toTile = (file: TileFile, { frame, x, y }: Place): Tile | undefined => {
    const { tile_columns: width, tile_rows: height } = file.answer;
    const tile = cut({ x, y, width, height }, level);
    return tile && { fileIndex: file.index, frame, ...tile, fromX: tile.x - x, fromY: tile.y - y };
  };

  const find: LevelTiles['find'] = (rectangle, choice) => {
    const found: Tile[] = [];
    for (const file of files) {
      const picture = pictureIn(file, choice);
      if (picture === undefined) continue;
      for (const place of file.list(rectangle, picture)) {
        const tile = toTile(file, place);
        if (tile !== undefined && isOverlapping(tile, rectangle)) found.push(tile);
      }
    }
    return found;
  };
  const place: LevelTiles['place'] = ({ fileIndex, frame }, choice) => {
    const file = files.find(({ index }) => index === fileIndex);
    const picture = file && pictureIn(file, choice);
    const found = picture && file.placeOf(frame, picture);
    return found && toTile(file, found);
  };
  const choiceOf: LevelTiles['choiceOf'] = (fileIndex, frame) => {
    const file = files.find(({ index }) => index === fileIndex);
    if (file === undefined) return undefined;
    const { path, plane } = file.pictureOf(frame);
    const key = file.paths[Math.max(0, path)]?.key ?? '';
    const um = file.planes[Math.max(0, plane)];
    return { path: key, planeUm: um, planeIndex: Math.max(0, plane) };
  };
  const index: TileIndex = {
    list: (rectangle, picture) => find(rectangle, picture).toSorted(inReadingOrder),
    place(address) {
      const picture = choiceOf(address.fileIndex, address.frame);
      const tile = picture && place(address, picture);
      return tile && { tile, picture };
    },
    filesOf: (choice) => files.filter((file) => pictureIn(file, choice) !== undefined).map((file) => file.index),
    frameCountOf: (fileIndex) => answers.find((answer) => answer.source_file_index === fileIndex)?.frame_count ?? 0,
  };

  return {
    index,
    find,
    place,
    choiceOf,
    paths,
    planes,
    background: red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue],
    findFrame(choice) {
      for (const file of files) {
        const picture = pictureIn(file, choice);
        const frame = picture && file.firstFrame(picture);
        if (frame !== undefined) return { fileIndex: file.index, frame };
      }
      return undefined;
    },
  };
}

/** Row by row; overlapping tiles in the order of their frames. */
function inReadingOrder(a: Tile, b: Tile): number {
  return a.y - b.y || a.x - b.x || a.fileIndex - b.fileIndex || a.frame - b.frame;
}

function buildFile(level: Size, answer: WsiTilesResponse): TileFile {
  const paths = answer.optical_paths.map(({ identifier, description, objective_power, wavelength_nm }, at) => {
    const named = identifier ?? `${at + 1}`;
    return {
      key: identifier ?? `#${at}`,
      label: description === null ? named : `${named} ${description}`,
      objectivePower: objective_power ?? undefined,
      wavelengthNm: wavelength_nm ?? undefined,
    };
  });
  const planes = answer.focal_planes.map(({ z_offset_slide }) => z_offset_slide ?? undefined);
  const about = { index: answer.source_file_index, answer, paths, planes };
  if (answer.raster !== null) return { ...about, ...listRaster(answer, answer.raster) };
  return { ...about, ...listDeclared(level, answer) };
}

type Listing = Pick<TileFile, 'list' | 'placeOf' | 'pictureOf' | 'firstFrame'>;

/** TILED_FULL: positions follow by arithmetic. PS3.3 C.7.6.17.3. */
function listRaster(answer: WsiTilesResponse, raster: NonNullable<WsiTilesResponse['raster']>): Listing {
  const { tile_columns, tile_rows, frame_count } = answer;
  const { tiles_across, tiles_down, frame_offset } = raster;
  const planeCount = answer.focal_planes.length;
  const onePlane = tiles_across * tiles_down;
  const firstOf = ({ path, plane }: Picture) => (path * planeCount + plane) * onePlane - frame_offset;
  return {
    *list({ x, y, width, height }, picture) {
      const first = firstOf(picture);
      const lastColumn = Math.min(tiles_across, Math.ceil((x + width) / tile_columns));
      const lastRow = Math.min(tiles_down, Math.ceil((y + height) / tile_rows));
      for (let row = Math.max(0, Math.floor(y / tile_rows)); row < lastRow; row++) {
        for (let column = Math.max(0, Math.floor(x / tile_columns)); column < lastColumn; column++) {
          const frame = first + row * tiles_across + column;
          // The other frames are in other parts of the level, or missing.
          if (frame >= 0 && frame < frame_count) yield { frame, x: column * tile_columns, y: row * tile_rows };
        }
      }
    },
    placeOf(frame, picture) {
      const at = frame - firstOf(picture);
      if (frame >= frame_count || at < 0 || at >= onePlane) return undefined;
      const [column, row] = [at % tiles_across, Math.floor(at / tiles_across)];
      return { frame, x: column * tile_columns, y: row * tile_rows };
    },
    pictureOf(frame) {
      const plane = Math.floor((frame + frame_offset) / onePlane);
      return { path: Math.floor(plane / planeCount), plane: plane % planeCount };
    },
    firstFrame(picture) {
      const first = Math.max(0, firstOf(picture));
      return first < Math.min(frame_count, firstOf(picture) + onePlane) ? first : undefined;
    },
  };
}

/** For a matrix that declares more tiles than this, the grid cells are enlarged. */
const MOST_CELLS = 4_000_000;

/**
 * Tiles with declared positions, on a grid or not. Frames are indexed by the grid cell, of whole tiles, that contains
 * their corner.
 */
function listDeclared(level: Size, answer: WsiTilesResponse): Listing {
  const { tile_columns, tile_rows, frame_count, tiles } = answer;
  const tileCount = (level.width / tile_columns) * (level.height / tile_rows);
  const factor = Math.max(1, Math.ceil(Math.sqrt(tileCount / MOST_CELLS)));
  const [cellWidth, cellHeight] = [tile_columns * factor, tile_rows * factor];
  const across = Math.ceil(level.width / cellWidth) + 1;
  const down = Math.ceil(level.height / cellHeight) + 1;
  // A slide of one frame need not declare a position.
  const numberOf = (of: readonly (number | null)[] | undefined, frame: number) =>
    of?.[frame] ?? (frame_count === 1 ? 0 : undefined);
  const cornerOf = (frame: number): Place | undefined => {
    const [x, y] = [numberOf(tiles?.x, frame), numberOf(tiles?.y, frame)];
    return x === undefined || y === undefined ? undefined : { frame, x, y };
  };
  const cellOf = (frame: number): number | undefined => {
    const corner = cornerOf(frame);
    if (corner === undefined) return undefined;
    const { x, y } = corner;
    // One extra cell before the first, because a tile may begin outside.
    const [column, row] = [Math.floor(x / cellWidth) + 1, Math.floor(y / cellHeight) + 1];
    return column < 0 || row < 0 || column >= across || row >= down ? undefined : row * across + column;
  };
  const { starts, frames } = sortIntoCells(frame_count, across * down, cellOf);
  const pictureOf = (frame: number): Picture => ({
    path: tiles?.optical_path?.[frame] ?? 0,
    plane: tiles?.focal_plane?.[frame] ?? 0,
  });
  const isOf = (frame: number, picture: Picture) => {
    const own = pictureOf(frame);
    // A frame without a declared path or plane belongs to all of them.
    return (own.path < 0 || own.path === picture.path) && (own.plane < 0 || own.plane === picture.plane);
  };
  return {
    *list({ x, y, width, height }, picture) {
      const firstColumn = Math.max(0, Math.floor((x - tile_columns) / cellWidth) + 1);
      const firstRow = Math.max(0, Math.floor((y - tile_rows) / cellHeight) + 1);
      const lastColumn = Math.min(across - 1, Math.floor((x + width) / cellWidth) + 1);
      const lastRow = Math.min(down - 1, Math.floor((y + height) / cellHeight) + 1);
      for (let row = firstRow; row <= lastRow; row++) {
        for (let column = firstColumn; column <= lastColumn; column++) {
          const cell = row * across + column;
          for (let at = starts[cell]!; at < starts[cell + 1]!; at++) {
            const place = isOf(frames[at]!, picture) ? cornerOf(frames[at]!) : undefined;
            if (place !== undefined) yield place;
          }
        }
      }
    },
    placeOf: (frame, picture) => (isOf(frame, picture) ? cornerOf(frame) : undefined),
    pictureOf,
    firstFrame(picture) {
      for (let frame = 0; frame < frame_count; frame++) if (isOf(frame, picture)) return frame;
      return undefined;
    },
  };
}

/** Frames sorted by cell, and within a cell in their order: from `starts[cell]` to `starts[cell + 1]`. */
function sortIntoCells(frameCount: number, cellCount: number, cellOf: (frame: number) => number | undefined) {
  const starts = new Int32Array(cellCount + 1);
  const cells = new Int32Array(frameCount).fill(-1);
  for (let frame = 0; frame < frameCount; frame++) {
    const cell = cellOf(frame);
    if (cell === undefined) continue;
    cells[frame] = cell;
    starts[cell + 1]! += 1;
  }
  for (let cell = 0; cell < cellCount; cell++) starts[cell + 1]! += starts[cell]!;
  const next = starts.slice();
  const frames = new Int32Array(starts[cellCount]!);
  for (const [frame, cell] of cells.entries()) if (cell >= 0) frames[next[cell]!++] = frame;
  return { starts, frames };
}

function listPlanes(files: readonly TileFile[]): FocalPlane[] {
  const heights = files.flatMap(({ planes }) => planes);
  const known = heights.filter((um) => um !== undefined);
  if (known.length === heights.length) {
    return [...new Set(known)].toSorted((a, b) => a - b).map((um, index) => ({ um, index }));
  }
  const most = Math.max(...files.map(({ planes }) => planes.length));
  return Array.from({ length: most }, (_, index) => ({ um: undefined, index }));
}

function nearestPlane(planes: readonly FocalPlane[], { planeUm, planeIndex }: PictureChoice): FocalPlane | undefined {
  if (planeUm === undefined || planes[0]?.um === undefined) return planes[Math.min(planeIndex, planes.length - 1)];
  const distance = ({ um }: FocalPlane) => Math.abs((um ?? Infinity) - planeUm);
  return planes.reduce((best, plane) => (distance(plane) < distance(best) ? plane : best));
}

function planeIn({ planes }: TileFile, wanted: FocalPlane | undefined): number {
  if (wanted === undefined) return -1;
  if (wanted.um !== undefined) return planes.indexOf(wanted.um);
  return wanted.index < planes.length ? wanted.index : -1;
}

function cut({ x, y, width, height }: Rectangle, level: Size): Rectangle | undefined {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(level.width, x + width), Math.min(level.height, y + height)];
  return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}
