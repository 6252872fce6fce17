import type { FrameAddress } from '../api/frames.ts';
import type { Point, Rectangle, Size } from './viewState.ts';

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

/** One of the pictures of a slide: which light, and which height above the glass. */
export type PictureChoice = {
  readonly path: string;
  /** Undefined where the heights are not known: then they are told apart by their order. */
  readonly planeUm: number | undefined;
  readonly planeIndex: number;
};

/** One tile, cut to the part that lies on its level, in pixels of the level. */
export type Tile = Rectangle &
  FrameAddress & {
    /** Where that part begins in the frame. */
    readonly fromX: number;
    readonly fromY: number;
  };

/** Which tiles make up a level. The same object as long as the slide is open, so that what is derived can be kept. */
export interface TileIndex {
  /** Those that have a part in the rectangle of the level, row by row. */
  list(rectangle: Rectangle, picture: PictureChoice): readonly Tile[];
  /** Undefined for a frame that does not say where it lies. */
  place(address: FrameAddress): { readonly tile: Tile; readonly picture: PictureChoice } | undefined;
  /** The files that hold frames of the picture. */
  filesOf(picture: PictureChoice): readonly number[];
  frameCountOf(fileIndex: number): number;
}

/** One resolution of a slide. */
export type ShownLevel = Size & {
  readonly fileIndices: readonly number[];
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Pixels of the slide in one of the level, and where its first pixel begins in those of the slide. */
  readonly scaleX: number;
  readonly scaleY: number;
  readonly offsetX: number;
  readonly offsetY: number;
  /** Undefined until it is known, which `need` begins to find out. */
  readonly index: TileIndex | undefined;
};

/** Where the tiles of a picture lie, for marks over it. Rectangles are in pixels of the whole picture. */
export interface ShownTiles {
  /** Files of all resolutions, the largest first. */
  readonly fileIndices: readonly number[];
  /** All resolutions, the largest first: its pixels are those of the whole picture. */
  readonly levels: readonly ShownLevel[];
  /** Which of the slide's pictures is shown. */
  readonly choice: PictureChoice;
  /** The level that is as sharp as the screen. */
  readonly level: number;
  /** What of the picture is on screen. */
  readonly visible: Rectangle;
  /** Shows this picture of the slide. */
  readonly select: (choice: PictureChoice) => void;
  /** Where the tiles of these levels lie is wanted. */
  readonly need: (levels: readonly number[]) => void;
  /** Undefined for a frame of another picture, and until it is known, which this begins to find out. */
  place(address: FrameAddress): ShownTile | undefined;
}

/** To pixels of the whole picture. */
export function fromTile({ corner, scaleX, scaleY }: ShownTile, { x, y }: Point): Point {
  return { x: corner.x + x * scaleX, y: corner.y + y * scaleY };
}
