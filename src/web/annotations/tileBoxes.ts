import type { RoiBox } from '../../shared/contract/annotations.ts';
import type { FrameAddress } from '../api/frames.ts';
import { type ShownTile, toTile } from '../state/shownTiles.ts';
import type { Rectangle } from '../state/viewState.ts';

/** A box on one tile of a slide, in pixels of its frame. */
export type TileBox = FrameAddress & { readonly box: RoiBox };

/**
 * Cuts a box at the edges of the tiles that it touches. It is in whole pixels of the tile `from`, as if that went on over
 * all of them; they are of one level, so that their pixels fall together and no pixel is lost or counted twice.
 */
export function cutAtTiles(box: RoiBox, from: ShownTile, touched: readonly ShownTile[]): readonly TileBox[] {
  return touched.flatMap((tile) => {
    const corner = toTile(tile, from.corner);
    const [x, y] = [Math.round(corner.x), Math.round(corner.y)];
    const [ymin, xmin, ymax, xmax] = box;
    const cut = cutBox([ymin + y, xmin + x, ymax + y, xmax + x], tile.part);
    return cut === undefined ? [] : [{ fileIndex: tile.fileIndex, frame: tile.frame, box: cut }];
  });
}

function cutBox([ymin, xmin, ymax, xmax]: RoiBox, part: Rectangle): RoiBox | undefined {
  const [top, left] = [Math.max(ymin, part.y), Math.max(xmin, part.x)];
  const [bottom, right] = [Math.min(ymax, part.y + part.height), Math.min(xmax, part.x + part.width)];
  return bottom > top && right > left ? [top, left, bottom, right] : undefined;
}
