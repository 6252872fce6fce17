import type { Matrix, Rectangle, Size } from '../../../kit/state/viewState.ts';
import { applyMatrix, invertMatrix } from '../viewTransform.ts';
import type { PictureChoice, Tile } from '../../../kit/state/shownTiles.ts';
import type { LevelTiles } from './levelTiles.ts';
import { type Slide, type SlideLevel, toLevelPoint } from './slide.ts';

export type LevelTile = { readonly level: number; readonly tile: Tile };

export type TilePlan = {
  /** The level that matches the resolution of the screen. */
  readonly target: number;
  /** The part of that level that is on screen. */
  readonly part: Rectangle;
  /** Levels to draw, coarsest first: where a tile of one is missing, the one before is visible. */
  readonly layers: readonly { readonly level: number; readonly tiles: readonly Tile[] }[];
  /** Tiles on the screen, the most useful first. */
  readonly now: readonly LevelTile[];
  /** Tiles around the screen. */
  readonly soon: readonly LevelTile[];
  /** Levels whose tile positions are needed. */
  readonly levels: readonly number[];
  /** The whole view needs more tiles than can be held, so only its middle is drawn. */
  readonly isCut: boolean;
};

export type PlanOptions = {
  readonly slide: Slide;
  readonly imageToCanvas: Matrix;
  readonly canvas: Size;
  readonly choice: PictureChoice;
  readonly tilesOf: (level: number) => LevelTiles | undefined;
  readonly mostTiles: number;
};

/** Factor by which a level may be enlarged. */
const SOFT = 1.1;
/**
 * An intermediate level, coarser by this factor, has a sixteenth of the tiles, so it is loaded long before the target.
 */
const BRIDGE = 4;

/** Plans what to draw and what to load for a view. */
export function planTiles(options: PlanOptions): TilePlan {
  const { slide, imageToCanvas, canvas, choice, tilesOf, mostTiles } = options;
  const levels = slide.levels.slice(0, slide.backing + 1);
  const visible = visiblePart(imageToCanvas, canvas, slide.image);
  const target = chooseLevel(levels, Math.hypot(imageToCanvas[0], imageToCanvas[1]));
  const coarsest = levels.length - 1;
  const bridge = findBridge(levels, target);
  const drawn = [...new Set([coarsest, bridge, target])].filter((level) => level !== undefined);
  if (visible === undefined) {
    return { target, part: NOTHING, layers: [], now: [], soon: [], levels: drawn, isCut: false };
  }

  const partOf = (level: number, margin: number) =>
    limit(toLevel(visible, levels[level]!, margin), levels[level]!, mostTiles);
  const find = (level: number, margin: number): Tile[] =>
    tilesOf(level)?.find(partOf(level, margin).part, choice) ?? [];
  const { isCut } = partOf(target, 0);
  const wanted = new Map(drawn.map((level) => [level, find(level, 0)]));
  const now = [...wanted].flatMap(([level, tiles]) =>
    fromTheMiddle(tiles, toLevel(visible, levels[level]!, 0)).map((tile) => ({ level, tile })),
  );
  // Any cached level can help: intermediate levels from earlier zooms, and the next sharper one.
  const layers = levels
    .map((_, level) => level)
    .filter((level) => level >= target - 1)
    .toReversed()
    .map((level) => ({ level, tiles: wanted.get(level) ?? find(level, 0) }));
  const soon = [bridge, target].flatMap((level) =>
    level === undefined || isCut ? [] : around(find(level, 1), wanted.get(level) ?? [], level),
  );
  const part = toLevel(visible, levels[target]!, 0);
  return { target, part, layers: inOrder(layers, target), now, soon, levels: drawn, isCut };
}

const NOTHING: Rectangle = { x: 0, y: 0, width: 0, height: 0 };

/** The next sharper level is drawn below the target level and above the coarser ones. */
function inOrder<L extends { readonly level: number }>(layers: readonly L[], target: number): L[] {
  const right = layers.filter(({ level }) => level === target);
  return [...layers.filter(({ level }) => level !== target), ...right];
}

/** The smallest level that has about one pixel for every screen pixel, otherwise the largest. */
export function chooseLevel(levels: readonly SlideLevel[], zoom: number): number {
  return Math.max(
    0,
    levels.findLastIndex(({ scaleX }) => zoom * scaleX <= SOFT),
  );
}

function findBridge(levels: readonly SlideLevel[], target: number): number | undefined {
  const bridge = levels.findIndex(({ scaleX }) => scaleX >= levels[target]!.scaleX * BRIDGE * 0.9);
  return bridge < 0 || bridge >= levels.length - 1 ? undefined : bridge;
}

/** The part of the image on the canvas; undefined if there is none. */
export function visiblePart(imageToCanvas: Matrix, canvas: Size, image: Size): Rectangle | undefined {
  const back = invertMatrix(imageToCanvas);
  const a = applyMatrix(back, { x: 0, y: 0 });
  const b = applyMatrix(back, { x: canvas.width, y: canvas.height });
  const [left, right] = [Math.max(0, Math.min(a.x, b.x)), Math.min(image.width, Math.max(a.x, b.x))];
  const [top, bottom] = [Math.max(0, Math.min(a.y, b.y)), Math.min(image.height, Math.max(a.y, b.y))];
  if (right <= left || bottom <= top) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Converts to pixels of the level, with a margin of the given number of tiles. */
function toLevel(rectangle: Rectangle, level: SlideLevel, margin = 0): Rectangle {
  const { scaleX, scaleY, tileWidth, tileHeight } = level;
  const { x, y } = toLevelPoint(rectangle, level);
  return {
    x: x - margin * tileWidth,
    y: y - margin * tileHeight,
    width: rectangle.width / scaleX + 2 * margin * tileWidth,
    height: rectangle.height / scaleY + 2 * margin * tileHeight,
  };
}

/** A slide with only its largest level has far more tiles than a screen can show. */
function limit(whole: Rectangle, { tileWidth, tileHeight }: SlideLevel, mostTiles: number) {
  const count = Math.ceil(whole.width / tileWidth + 1) * Math.ceil(whole.height / tileHeight + 1);
  if (count <= mostTiles) return { part: whole, isCut: false };
  const factor = Math.sqrt(mostTiles / count);
  // The edges of the part cut through tiles on both sides.
  const width = Math.max(tileWidth, whole.width * factor - tileWidth);
  const height = Math.max(tileHeight, whole.height * factor - tileHeight);
  const x = whole.x + (whole.width - width) / 2;
  const y = whole.y + (whole.height - height) / 2;
  return { part: { x, y, width, height }, isCut: true };
}

function fromTheMiddle(tiles: readonly Tile[], { x, y, width, height }: Rectangle): Tile[] {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const distance = (tile: Tile) => Math.hypot(tile.x + tile.width / 2 - middleX, tile.y + tile.height / 2 - middleY);
  return tiles.toSorted((a, b) => distance(a) - distance(b));
}

function around(tiles: readonly Tile[], inside: readonly Tile[], level: number): LevelTile[] {
  const known = new Set(inside.map(({ fileIndex, frame }) => `${fileIndex}/${frame}`));
  return tiles.filter(({ fileIndex, frame }) => !known.has(`${fileIndex}/${frame}`)).map((tile) => ({ level, tile }));
}
