/** How an image is placed on its canvas. It does not depend on sizes, so it survives a resize and the next slice. */
export type ViewState = {
  /** Device pixels per image column, so 1 is one to one on every screen; `fit` shows the whole image. */
  readonly zoom: number | 'fit';
  /** The image point at the center of the canvas, in image pixels; undefined for the center of the image. */
  readonly center: Point | undefined;
  /** Number of clockwise quarter turns. */
  readonly quarterTurns: 0 | 1 | 2 | 3;
  /** Mirrored left to right, as seen on screen. */
  readonly flipHorizontal: boolean;
  readonly flipVertical: boolean;
};

export type Point = { readonly x: number; readonly y: number };
export type Size = { readonly width: number; readonly height: number };
export type Rectangle = Point & Size;

/** The image in view: pixel (i, j) covers [i, i+1) by [j, j+1), and is `aspect` times as high as wide on screen. */
export type ViewedImage = Size & {
  /** Height of a pixel divided by its width; 1 if the file declares none. */
  readonly aspect: number;
};

/** `x' = a x + c y + e`, `y' = b x + d y + f`: in the order of the canvas and SVG functions. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const WHOLE_IMAGE: ViewState = {
  zoom: 'fit',
  center: undefined,
  quarterTurns: 0,
  flipHorizontal: false,
  flipVertical: false,
};

/** Rotates the image on screen by a quarter turn, clockwise if `turns` is 1. */
export function rotateBy(view: ViewState, turns: 1 | -1): ViewState {
  // Mirroring is applied after rotation, so a single mirror reverses the direction.
  const sense = view.flipHorizontal === view.flipVertical ? turns : -turns;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the remainder of a positive number by 4
  return { ...view, quarterTurns: ((view.quarterTurns + sense + 4) % 4) as ViewState['quarterTurns'] };
}

export function isOverlapping(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
