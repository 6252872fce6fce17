import type { FileRecord } from '../../../shared/contract/files.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { type LayerReach, liesInSpace } from '../../kit/state/layers.ts';
import { findFile } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ShownTiles } from '../../kit/state/shownTiles.ts';
import type { Matrix, Rectangle } from '../../kit/state/viewState.ts';
import type { PatientPlane, PictureSource } from './pictureSource.ts';
import { reportOf, type ViewportScreen } from './viewports.ts';

/** What a layer lies over: a stored frame, a plane of the patient, or a part of a slide. */
export type PictureUnder = FrameAddress | PatientPlane | SlideRegion;

/** A rectangle of a slide, in pixels of its largest level. */
export type SlideRegion = Rectangle & {
  /** A file of the largest level. */
  readonly slideIndex: number;
  /** The files of all levels. */
  readonly files: readonly number[];
  /** Pixels of the slide for each sample of a mask; smaller details of shapes are not needed. */
  readonly pixel: number;
};

export function isPlane(target: PictureUnder): target is PatientPlane {
  return 'query' in target;
}

export function isSlideRegion(target: PictureUnder): target is SlideRegion {
  return 'slideIndex' in target;
}

/** From samples of a packet to pixels of the picture, which are the same except on slides. */
export function toPicturePixels(target: PictureUnder): Matrix {
  if (!isSlideRegion(target)) return [1, 0, 0, 1, 0, 0];
  const { pixel, x, y } = target;
  return [pixel, 0, 0, pixel, x, y];
}

/** The same for the same target. */
export function keyOfTarget(target: PictureUnder): string {
  if (isPlane(target)) return `${target.frameOfReferenceUid}?${target.query}`;
  if (!isSlideRegion(target)) return `${target.fileIndex}/${target.frame}`;
  const { slideIndex, x, y, width, height, pixel } = target;
  return `${slideIndex}#${[x, y, width, height, pixel].join(',')}`;
}

export type LayerGround = {
  /** A frame or a plane, or a whole slide. */
  readonly target: PictureUnder;
  /** The parts of a slide that are on the screen, which some layers are loaded by. */
  readonly pieces: readonly SlideRegion[];
  readonly screen: ViewportScreen;
};

/** What the picture on the screen of a cell is for its layers. Undefined if nothing is shown. */
export function findLayerGround(page: Page, cell: number): LayerGround | undefined {
  const { shown, screen, tiles } = reportOf(page, cell);
  if (shown === undefined || screen === undefined) return undefined;
  if (tiles !== undefined) return divideSlide(tiles, screen);
  const target = targetAt(shown.source, shown.position);
  return target && { target, pieces: [], screen };
}

/** Size of a piece in pixels of the screen, at most; half of that at least. */
const PIECE_PX = 1024;

/** Pieces begin at multiples of their size, so that moving the view asks only for those that come into it. */
function divideSlide(tiles: ShownTiles, screen: ViewportScreen): LayerGround | undefined {
  const [largest] = tiles.levels;
  const slideIndex = largest?.fileIndices[0];
  if (slideIndex === undefined) return undefined;
  const { width, height } = screen.image;
  const { imageToScreen } = screen;
  const slidePerScreen = 1 / Math.hypot(imageToScreen[0], imageToScreen[1]);
  const pixel = 2 ** Math.max(0, Math.floor(Math.log2(slidePerScreen)));
  const side = PIECE_PX * pixel;
  const common = { slideIndex, files: tiles.fileIndices };
  const { visible } = tiles;
  const pieces: SlideRegion[] = [];
  for (
    let y = Math.max(0, Math.floor(visible.y / side)) * side;
    y < Math.min(height, visible.y + visible.height);
    y += side
  ) {
    for (
      let x = Math.max(0, Math.floor(visible.x / side)) * side;
      x < Math.min(width, visible.x + visible.width);
      x += side
    ) {
      pieces.push({ ...common, x, y, width: Math.min(side, width - x), height: Math.min(side, height - y), pixel });
    }
  }
  return { target: { ...common, x: 0, y: 0, width, height, pixel: 1 }, pieces, screen };
}

export function targetAt(source: PictureSource, position: number): PictureUnder | undefined {
  const place = source.fileOf(position);
  return place === undefined ? source.patientPlaneOf?.(position) : { fileIndex: place.file.index, frame: place.frame };
}

/** The file whose study and frame of reference a picture has. */
export function imageOf(page: Page, picture: PictureSource): FileRecord | undefined {
  const { stack } = picture;
  return stack === undefined ? picture.headerOf?.(0)?.file : findFile(page, stack.fileIndex);
}

/** Whether planes cut what a layer is made of: only its frames of reference place it. */
export function isInPlanes(layer: LayerRecord, spaces: LayerReach['spaces'], picture: PictureSource): boolean {
  const plane = picture.patientPlaneOf?.(0);
  return plane !== undefined && liesInSpace(layer, spaces, plane.frameOfReferenceUid);
}
