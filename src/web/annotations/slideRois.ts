import type { RoiBox } from '../../shared/contract/annotations.ts';
import { fromTile, type ShownTile, type ShownTiles } from '../state/shownTiles.ts';
import { isOverlapping, type Rectangle } from '../state/viewState.ts';
import type { Roi } from './roi.ts';
import type { FileRois } from './roiState.ts';

/** A ROI on one tile of a slide. Its box is in pixels of the slide here, which need not be whole. */
export type SlideRoi = Roi & {
  /** As its file has it. */
  readonly own: Roi;
  readonly tile: ShownTile;
};

/** A drawing of more would be a solid color. */
const MOST_SHOWN = 5_000;

/**
 * The ROIs on what is visible of a slide, of all its levels: who has drawn one must find it at every zoom. A ROI on all
 * frames is on every tile, of which there can be a million: it is shown on those of the level on screen.
 */
export function listSlideRois(tiles: ShownTiles, files: ReadonlyMap<number, FileRois>): readonly SlideRoi[] {
  const found: SlideRoi[] = [];
  let inView: readonly ShownTile[] | undefined;
  const inViewOf = (fileIndex: number) => {
    inView ??= tiles.find(tiles.visible);
    return inView.filter((tile) => tile.fileIndex === fileIndex);
  };
  for (const fileIndex of tiles.fileIndices) {
    for (const roi of files.get(fileIndex)?.rois ?? []) {
      const places =
        roi.frames.length === 0 ? inViewOf(fileIndex) : roi.frames.map((frame) => tiles.place({ fileIndex, frame }));
      for (const tile of places) {
        const box = tile && toSlideBox(roi.box, tile);
        if (tile === undefined || box === undefined || !isOverlapping(toRectangle(box), tiles.visible)) continue;
        found.push({ ...roi, box, own: roi, tile });
        if (found.length >= MOST_SHOWN) return found;
      }
    }
  }
  return found;
}

export function toSlideBox([ymin, xmin, ymax, xmax]: RoiBox, tile: ShownTile): RoiBox {
  const low = fromTile(tile, { x: xmin, y: ymin });
  const high = fromTile(tile, { x: xmax, y: ymax });
  return [low.y, low.x, high.y, high.x];
}

export function toRectangle([ymin, xmin, ymax, xmax]: RoiBox): Rectangle {
  return { x: xmin, y: ymin, width: xmax - xmin, height: ymax - ymin };
}
