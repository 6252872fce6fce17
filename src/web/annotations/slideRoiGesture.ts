import type { RoiBox } from '../../shared/contract/annotations.ts';
import { type ShownTile, type ShownTiles, toTile } from '../state/shownTiles.ts';
import type { Point, Size } from '../state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../tools/followMarks.ts';
import { addTileRois, changeRoi } from './roiActions.ts';
import { sizeOf } from './roiDrawing.ts';
import { pageRois } from './pageRois.ts';
import { drawBox, moveBox, resizeBox } from './roiEditing.ts';
import { findHit, isTaken, type RoiHit } from './roiScreen.ts';
import { type SlideRoi, toRectangle, toSlideBox } from './slideRois.ts';
import { cutAtTiles } from './tileBoxes.ts';

export type SlideRoiGesture = MarkGesture & {
  readonly roi: SlideRoi | undefined;
  /** What it would make, in pixels of the slide, and how large that is in those of the file. */
  readonly draftAt: (point: Point) => { readonly box: RoiBox; readonly label: string };
};

export type SlideMarks = { readonly tiles: ShownTiles; readonly rois: readonly SlideRoi[] };

/** What a press on a slide begins; undefined where it is none of the ROIs' business. */
export function beginSlideGesture(press: MarkPress, { tiles, rois }: SlideMarks): SlideRoiGesture | undefined {
  const { shown, at, reach, isOwnTool } = press;
  const { files, selection } = pageRois.store.getState();
  const selectedId = selection?.id;
  const hit = findHit(at, { rois, selectedId, imageToScreen: shown.screen.imageToScreen, reach });
  const from = toImagePoint(shown, at);
  if (hit !== undefined && isTaken(hit, { isOwnTool, selectedId })) return changeGesture(from, hit);
  const [tile] = tiles.find({ ...from, width: 1, height: 1 });
  if (!isOwnTool || tile === undefined) return undefined;
  const known = files.get(tile.fileIndex);
  if (known === undefined || known.load.kind === 'failed') return undefined;
  return drawGesture(from, { tiles, tile, image: shown.screen.image, hit });
}

type Drawing = {
  readonly tiles: ShownTiles;
  /** Where it begins. */
  readonly tile: ShownTile;
  readonly image: Size;
  readonly hit: RoiHit<SlideRoi> | undefined;
};

/** A ROI is on a frame, and so on one tile: what is drawn over several is cut at their edges, to the pixel. */
function drawGesture(from: Point, { tiles, tile, image, hit }: Drawing): SlideRoiGesture {
  const start = toTile(tile, { x: 0, y: 0 });
  const end = toTile(tile, { x: image.width, y: image.height });
  const slide = { x: start.x, y: start.y, width: end.x - start.x, height: end.y - start.y };
  /** In pixels of the first tile, as if it went on over the whole slide. */
  const boxAt = (to: Point) => drawBox(toTile(tile, from), toTile(tile, to), slide);
  return {
    roi: undefined,
    draftAt: (to) => ({ box: toSlideBox(boxAt(to), tile), label: sizeOf(boxAt(to)) }),
    commit(to) {
      const box = boxAt(to);
      addTileRois(cutAtTiles(box, tile, tiles.find(toRectangle(toSlideBox(box, tile)))));
    },
    click: () => pageRois.select(hit && { fileIndex: hit.roi.tile.fileIndex, id: hit.roi.id }),
  };
}

/** It stays on its tile. */
function changeGesture(from: Point, hit: RoiHit<SlideRoi>): SlideRoiGesture {
  const { roi } = hit;
  const { tile, own } = roi;
  const selection = { fileIndex: tile.fileIndex, id: roi.id };
  const image = { width: tile.part.x + tile.part.width, height: tile.part.y + tile.part.height };
  const boxAt = (to: Point) => {
    const by = { x: (to.x - from.x) / tile.scaleX, y: (to.y - from.y) / tile.scaleY };
    return hit.part === 'handle' ? resizeBox(own.box, hit.handle, by, image) : moveBox(own.box, by, image);
  };
  return {
    roi,
    draftAt: (to) => ({ box: toSlideBox(boxAt(to), tile), label: sizeOf(boxAt(to)) }),
    commit(to) {
      pageRois.select(selection);
      const box = boxAt(to);
      if (String(box) !== String(own.box)) changeRoi(selection, { box }, tile.frame);
    },
    click: () => pageRois.select(selection),
  };
}
