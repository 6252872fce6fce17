import type { FrameAddress } from '../api/frames.ts';
import type { Point, Rectangle, Size } from './viewState.ts';

/** A frame that is one tile of the picture in a cell. */
export type ShownTile = FrameAddress & {
  /** Position of its first pixel, in pixels of the whole picture. */
  readonly corner: Point;
  /** Picture pixels per frame pixel. */
  readonly scaleX: number;
  readonly scaleY: number;
  /** The part of the frame that belongs to the picture, in frame pixels. The rest is padding. */
  readonly part: Rectangle;
};

/** Selects one of the pictures of a slide, by optical path and by height above the glass. */
export type PictureChoice = {
  readonly path: string;
  /** Undefined if the heights are unknown; planes are then identified by their order. */
  readonly planeUm: number | undefined;
  readonly planeIndex: number;
};

/** One tile, clipped to its level, in level pixels. */
export type Tile = Rectangle &
  FrameAddress & {
    /** Position of the clipped part in the frame. */
    readonly fromX: number;
    readonly fromY: number;
  };

/** The tiles of a level. It is the same object while the slide is open, so that derived data can be cached. */
export interface TileIndex {
  /** Tiles that intersect the rectangle of the level, row by row. */
  list(rectangle: Rectangle, picture: PictureChoice): readonly Tile[];
  /** Undefined for a frame that does not declare its position. */
  place(address: FrameAddress): { readonly tile: Tile; readonly picture: PictureChoice } | undefined;
  /** The files that contain frames of the picture. */
  filesOf(picture: PictureChoice): readonly number[];
  frameCountOf(fileIndex: number): number;
}

/** One resolution of a slide. */
export type ShownLevel = Size & {
  readonly fileIndices: readonly number[];
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Slide pixels per level pixel, and the position of the level's first pixel in slide pixels. */
  readonly scaleX: number;
  readonly scaleY: number;
  readonly offsetX: number;
  readonly offsetY: number;
  /** Undefined until it is known; `need` requests it. */
  readonly index: TileIndex | undefined;
};

/** Positions of the tiles of a picture, for marks over it. Rectangles are in pixels of the whole picture. */
export interface ShownTiles {
  /** Files of all resolutions, largest first. */
  readonly fileIndices: readonly number[];
  /** All resolutions, largest first. The pixels of the largest are those of the whole picture. */
  readonly levels: readonly ShownLevel[];
  /** Which of the slide's pictures is shown. */
  readonly choice: PictureChoice;
  /** The level that matches the resolution of the screen. */
  readonly level: number;
  /** The part of the picture that is on screen. */
  readonly visible: Rectangle;
  /** Shows this picture of the slide. */
  readonly select: (choice: PictureChoice) => void;
  /** Requests the tile positions of these levels. */
  readonly need: (levels: readonly number[]) => void;
  /** Undefined for a frame of another picture, and while its position is unknown, which this call requests. */
  place(address: FrameAddress): ShownTile | undefined;
}

/** Converts a point of the tile to pixels of the whole picture. */
export function fromTile({ corner, scaleX, scaleY }: ShownTile, { x, y }: Point): Point {
  return { x: corner.x + x * scaleX, y: corner.y + y * scaleY };
}
