import { fetchRawFrame } from '../api/frames.ts';
import type { ShownLevel, ShownTiles } from '../state/shownTiles.ts';
import type { Rectangle } from '../state/viewState.ts';
import { parseRawFrame } from '../viewport/parseRawFrame.ts';
import type { BoxPart } from './windowOfBox.ts';

/** More would take seconds; a coarser level has values enough for a window. */
const MOST_TILES = 36;

/**
 * The tiles under a box of the slide, with the part of it that lies on each. They are of the level on the screen, or of
 * the next coarser one that holds the box in few tiles. Undefined where their values cannot be read.
 */
export async function readBoxOnSlide(tiles: ShownTiles, box: Rectangle): Promise<readonly BoxPart[] | undefined> {
  for (const level of tiles.levels.slice(tiles.level)) {
    const own = toLevel(box, level);
    const touched = level.index?.list(own, tiles.choice);
    if (touched === undefined || (touched.length > MOST_TILES && level !== tiles.levels.at(-1))) continue;
    const parts = await Promise.all(
      touched.map(async (tile): Promise<BoxPart | undefined> => {
        const { headers, bytes } = await fetchRawFrame(tile, { signal: new AbortController().signal });
        const frame = parseRawFrame(headers, bytes);
        // In pixels of the frame, and without what it holds beyond the edge of the slide.
        return frame && { frame, box: moveBy(intersect(own, tile), tile.fromX - tile.x, tile.fromY - tile.y) };
      }),
    );
    const read = parts.filter((part) => part !== undefined);
    return read.length === parts.length ? read : undefined;
  }
  return undefined;
}

function toLevel({ x, y, width, height }: Rectangle, { scaleX, scaleY, offsetX, offsetY }: ShownLevel): Rectangle {
  return { x: (x - offsetX) / scaleX, y: (y - offsetY) / scaleY, width: width / scaleX, height: height / scaleY };
}

function intersect(a: Rectangle, b: Rectangle): Rectangle {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  const [right, bottom] = [Math.min(a.x + a.width, b.x + b.width), Math.min(a.y + a.height, b.y + b.height)];
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}

function moveBy({ x, y, width, height }: Rectangle, right: number, down: number): Rectangle {
  return { x: x + right, y: y + down, width, height };
}
