import { fetchRawFrame } from '../../kit/api/frames.ts';
import type { ShownLevel, ShownTiles } from '../../kit/state/shownTiles.ts';
import type { Rectangle } from '../../kit/state/viewState.ts';
import { parseRawFrame } from '../pictures/parseRawFrame.ts';
import type { BoxPart } from './windowOfBox.ts';

/** More tiles would take seconds, and a coarser level has enough values for a window. */
const MOST_TILES = 36;

/**
 * Reads the tiles under a box on the slide, each with the part of the box that lies on it. They are of the level on
 * screen, or of the next coarser one on which the box covers few enough tiles. Undefined if their values cannot be
 * read.
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
        // In frame pixels, and without the part of the frame beyond the edge of the slide.
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
