import type { FrameAddress } from '../api/frames.ts';
import type { Point, Rectangle } from './viewState.ts';

/** A frame that is one tile of the picture in a cell. */
export type ShownTile = FrameAddress & {
  /** Where its first pixel begins, in pixels of the whole picture. */
  readonly corner: Point;
  /** Pixels of the picture in one of the frame. */
  readonly scaleX: number;
  readonly scaleY: number;
  /** The part of the frame that is on the picture, in pixels of the frame: the rest is filling. */
  readonly part: Rectangle;
};

/** Where the tiles of a picture lie, for marks over it. Rectangles are in pixels of the whole picture. */
export interface ShownTiles {
  /** Files of all resolutions, the largest first. */
  readonly fileIndices: readonly number[];
  /** What of the picture is on screen. */
  readonly visible: Rectangle;
  /** Of the resolution on screen, those that have a part in the rectangle; none where they are too many to tell apart. */
  find(rectangle: Rectangle): readonly ShownTile[];
  /** Undefined for a frame of another picture, and until it is known, which this begins to find out. */
  place(address: FrameAddress): ShownTile | undefined;
}

/** To pixels of the whole picture. */
export function fromTile({ corner, scaleX, scaleY }: ShownTile, { x, y }: Point): Point {
  return { x: corner.x + x * scaleX, y: corner.y + y * scaleY };
}

export function toTile({ corner, scaleX, scaleY }: ShownTile, { x, y }: Point): Point {
  return { x: (x - corner.x) / scaleX, y: (y - corner.y) / scaleY };
}
