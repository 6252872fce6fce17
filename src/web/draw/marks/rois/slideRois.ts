import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { PictureChoice, ShownLevel, ShownTiles, Tile } from '../../../kit/state/shownTiles.ts';
import { isOverlapping, type Rectangle } from '../../../kit/state/viewState.ts';
import type { Roi } from './roi.ts';
import { isSamePlane, readUnits, type SlideUnit } from './slideBoxes.ts';

/** A box on a slide, in whole pixels of its largest level. Its uid is that of the first ROI it is stored as. */
export type SlideRoi = Roi & {
  /** The file of that ROI. */
  readonly fileIndex: number;
  /** Number among the boxes of the slide, from 1. */
  readonly number: number;
  /** The level it is stored on: the larger a box, the coarser the level. */
  readonly level: number;
  readonly unit: SlideUnit<Roi>;
  readonly picture: PictureChoice | undefined;
  /** For a ROI that other programs placed on several separate tiles: one of these tiles, in pixels of the level. */
  readonly tile: Tile | undefined;
};

/** The ROIs of each file. */
type RoisByFile = ReadonlyMap<number, readonly Roi[]>;

/** More boxes would merge into a solid area. */
const MOST_SHOWN = 5_000;

/** All boxes of a slide, on whichever picture. A ROI on several separate tiles is listed once. */
export function listSlideRois(tiles: ShownTiles, rois: RoisByFile): readonly SlideRoi[] {
  let number = 0;
  return tiles.levels.flatMap((level, at) =>
    unitsOf(level, rois, () => tiles.need([at])).flatMap((unit) => {
      const [part] = unit.parts;
      const [first] = part?.marks ?? [];
      if (part === undefined || first === undefined) return [];
      number += 1;
      const box = unit.box === undefined ? first.box : toSlideBox(unit.box, level);
      const { picture } = unit;
      return [{ ...first, box, fileIndex: part.fileIndex, number, level: at, unit, picture, tile: undefined }];
    }),
  );
}

/**
 * The boxes in the visible part of a slide. A box is visible at every zoom and on every optical path, but only on its
 * own focal plane. A ROI on several separate tiles is shown on each of them; a ROI on all frames only on the tiles of
 * the level on screen, because there can be a million tiles.
 */
export function listVisibleRois(all: readonly SlideRoi[], tiles: ShownTiles): readonly SlideRoi[] {
  const found: SlideRoi[] = [];
  for (const roi of all) {
    const level = tiles.levels[roi.level];
    if (level === undefined || found.length >= MOST_SHOWN) break;
    if (roi.unit.box !== undefined) {
      if (isSamePlane(roi.picture, tiles.choice) && isOverlapping(toRectangle(roi.box), tiles.visible)) found.push(roi);
      continue;
    }
    for (const tile of tilesOf(roi, level, tiles)) {
      const box = toSlideBox(onLevel(roi.box, tile), level);
      if (isOverlapping(toRectangle(box), tiles.visible)) found.push({ ...roi, box, tile });
      if (found.length >= MOST_SHOWN) break;
    }
  }
  return found;
}

function tilesOf({ fileIndex, frames, level: at }: SlideRoi, level: ShownLevel, tiles: ShownTiles): readonly Tile[] {
  const { index } = level;
  if (index === undefined) return [];
  if (frames.length === 0) {
    if (at !== tiles.level) return [];
    return index.list(fromSlide(tiles.visible, level), tiles.choice).filter((tile) => tile.fileIndex === fileIndex);
  }
  return frames.flatMap((frame) => {
    const place = index.place({ fileIndex, frame });
    return place !== undefined && isSamePlane(place.picture, tiles.choice) ? [place.tile] : [];
  });
}

type KnownUnits = { readonly lists: readonly (readonly Roi[])[]; readonly units: readonly SlideUnit<Roi>[] };
const knownUnits = new WeakMap<object, KnownUnits>();
const NO_ROIS: readonly Roi[] = [];

function unitsOf(level: ShownLevel, rois: RoisByFile, need: () => void) {
  const lists = level.fileIndices.map((index) => rois.get(index) ?? NO_ROIS);
  if (lists.every(({ length }) => length === 0)) return [];
  if (level.index === undefined) {
    need();
    return [];
  }
  const known = knownUnits.get(level.index);
  if (known !== undefined && lists.every((list, i) => list === known.lists[i])) return known.units;
  const units = readUnits(new Map(level.fileIndices.map((index, i) => [index, lists[i] ?? NO_ROIS])), level.index);
  knownUnits.set(level.index, { lists, units });
  return units;
}

/** From pixels of the level to whole pixels of the slide. */
export function toSlideBox({ x, y, width, height }: Rectangle, level: ShownLevel): RoiBox {
  const { scaleX, scaleY, offsetX, offsetY } = level;
  return [
    Math.round(y * scaleY + offsetY),
    Math.round(x * scaleX + offsetX),
    Math.round((y + height) * scaleY + offsetY),
    Math.round((x + width) * scaleX + offsetX),
  ];
}

function fromSlide({ x, y, width, height }: Rectangle, level: ShownLevel): Rectangle {
  const { scaleX, scaleY, offsetX, offsetY } = level;
  return {
    x: (x - offsetX) / scaleX,
    y: (y - offsetY) / scaleY,
    width: width / scaleX,
    height: height / scaleY,
  };
}

/** From pixels of the slide to whole pixels of the level: at least one pixel, and none outside the level. */
export function toLevelBox(box: RoiBox, level: ShownLevel): Rectangle {
  const { x, y, width, height } = fromSlide(toRectangle(box), level);
  const [left, right] = toSpan(x, x + width, level.width);
  const [top, bottom] = toSpan(y, y + height, level.height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function toSpan(low: number, high: number, size: number): readonly [number, number] {
  const from = Math.min(Math.max(Math.round(low), 0), size - 1);
  return [from, Math.min(Math.max(Math.round(high), from + 1), size)];
}

/** From pixels of a tile's frame to those of its level. */
export function onLevel([ymin, xmin, ymax, xmax]: RoiBox, { x, y, fromX, fromY }: Tile): Rectangle {
  return { x: x - fromX + xmin, y: y - fromY + ymin, width: xmax - xmin, height: ymax - ymin };
}

export function toRectangle([ymin, xmin, ymax, xmax]: RoiBox): Rectangle {
  return { x: xmin, y: ymin, width: xmax - xmin, height: ymax - ymin };
}
