/** How an image lies on its canvas. It says nothing about sizes, so it survives a resize and the next slice. */
export type ViewState = {
  /** Device pixels per image column, so 1 is one to one on every screen; `fit` shows the whole image. */
  readonly zoom: number | 'fit';
  /** The image point in the middle of the canvas, in image pixels; undefined is the image's own middle. */
  readonly center: Point | undefined;
  /** Clockwise, in quarter turns. */
  readonly quarterTurns: 0 | 1 | 2 | 3;
  /** Mirrored left to right, as the viewer sees it. */
  readonly flipHorizontal: boolean;
  readonly flipVertical: boolean;
};

export type Point = { readonly x: number; readonly y: number };
export type Size = { readonly width: number; readonly height: number };
export type Rectangle = Point & Size;

/** What the view is of: pixel (i, j) covers [i, i+1) by [j, j+1), `aspect` times as high as wide on screen. */
export type ViewedImage = Size & {
  /** Height of a pixel over its width; 1 where the file declares none. */
  readonly aspect: number;
};

/** `x' = a x + c y + e`, `y' = b x + d y + f`: the order of the canvas and of SVG. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const WHOLE_IMAGE: ViewState = {
  zoom: 'fit',
  center: undefined,
  quarterTurns: 0,
  flipHorizontal: false,
  flipVertical: false,
};

/** Turns what is on screen by a quarter, clockwise when `turns` is 1. */
export function rotateBy(view: ViewState, turns: 1 | -1): ViewState {
  // Mirroring comes after turning, so a single mirror turns the sense around.
  const sense = view.flipHorizontal === view.flipVertical ? turns : -turns;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the remainder of a positive number by 4
  return { ...view, quarterTurns: ((view.quarterTurns + sense + 4) % 4) as ViewState['quarterTurns'] };
}

export function isOverlapping(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
