import type { Matrix, Point, Size } from '../../kit/state/viewState.ts';
import { applyMatrix, invertMatrix } from '../pictures/viewTransform.ts';
import styles from './MarkLayer.module.css';

/** A rectangle with upright edges. */
export type Bounds = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** One of many marks. */
export type CrowdMark = {
  /** The same object while its outline in the image is the same. */
  readonly form: object;
  /** What its text is made of: the same object and the same name while the text is the same. */
  readonly text: object;
  readonly name: string;
  /** Undefined for the color of the layer. */
  readonly color: string | undefined;
  readonly isDashed: boolean;
  /** The rectangle around its outline, in CSS pixels. */
  readonly boundsAt: (imageToScreen: Matrix) => Bounds;
  /** Its outline as an SVG path, in CSS pixels. */
  readonly outlineAt: (imageToScreen: Matrix) => string;
  /** The text beside it and its place, in CSS pixels; undefined if it has none. */
  readonly labelAt?: ((imageToScreen: Matrix) => CrowdLabel | undefined) | undefined;
};

export type CrowdLabel = {
  readonly lines: readonly string[];
  /** Left end of the base of the first line. */
  readonly at: Point;
  readonly width: number;
};

export type CrowdView = { readonly imageToScreen: Matrix; readonly screen: Size };

/** Draws many marks. */
export interface MarkCrowd {
  /** All marks of an image, also those that are not on the screen. */
  draw(marks: readonly CrowdMark[], view: CrowdView): void;
  clear(): void;
}

/** Drawn around the cell, so that a moved view needs no new drawing at once. In CSS pixels. */
const MARGIN = 256;
/** A view that has not moved for so long is drawn again. */
const REST_MS = 120;
/** A picture that has become larger or smaller by this factor is drawn again at once. */
const MOST_SCALE = 1.5;
/** More texts would cover the image. */
const MOST_LABELS = 50;
const LABEL_LINE_HEIGHT = 15;
const LABEL_SIZE = 12;
const DASHES = [6, 4];

type Drawn = CrowdView & { readonly marks: readonly CrowdMark[] };

/**
 * Draws marks on a canvas below the SVG element, because thousands of SVG elements take a twentieth of a second for each
 * redraw. While the view moves, the canvas moves with it, and is drawn again when the view rests or the canvas no longer
 * covers the cell.
 */
export function createMarkCrowd(svg: SVGSVGElement): MarkCrowd {
  const frame = document.createElement('div');
  frame.classList.add(styles.layer ?? '');
  const canvas = document.createElement('canvas');
  canvas.classList.add(styles.crowd ?? '');
  frame.append(canvas);
  const context = canvas.getContext('2d');
  let drawn: Drawn | undefined;
  let wanted: Drawn | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const stopWaiting = () => {
    clearTimeout(rest);
    rest = undefined;
  };
  const paint = () => {
    stopWaiting();
    drawn = wanted;
    if (context === null || drawn === undefined) return;
    canvas.style.transform = '';
    frame.dataset['crowd'] = String(drawn.marks.length);
    paintCrowd(context, drawn, getComputedStyle(svg));
  };

  return {
    draw(marks, { imageToScreen, screen }) {
      if (frame.parentElement === null) svg.before(frame);
      wanted = { marks, imageToScreen, screen };
      if (drawn === undefined || !isSameSize(drawn.screen, screen) || !hasSameOutlines(drawn.marks, marks)) {
        paint();
        return;
      }
      const moved = multiply(imageToScreen, invertMatrix(drawn.imageToScreen));
      if (!coversScreen(moved, screen)) {
        paint();
        return;
      }
      canvas.style.transform = `matrix(${moved.join()})`;
      const isStill = hasNotMoved(moved);
      if (!isStill) stopWaiting();
      if (!isStill || !hasSameTexts(drawn.marks, marks)) rest ??= setTimeout(paint, REST_MS);
    },
    clear() {
      stopWaiting();
      drawn = undefined;
      wanted = undefined;
      frame.remove();
      // Its memory is free at once.
      canvas.width = 0;
    },
  };
}

function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

function hasSameOutlines(before: readonly CrowdMark[], now: readonly CrowdMark[]): boolean {
  if (before.length !== now.length) return false;
  return before.every(({ form, color, isDashed }, n) => {
    const other = now[n];
    return form === other?.form && color === other.color && isDashed === other.isDashed;
  });
}

function hasSameTexts(before: readonly CrowdMark[], now: readonly CrowdMark[]): boolean {
  return before.every(({ text, name }, n) => text === now[n]?.text && name === now[n]?.name);
}

/** Applies the second, then the first. */
function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function hasNotMoved([a, b, c, d, e, f]: Matrix): boolean {
  const [turned, shifted] = [
    [a - 1, b, c, d - 1],
    [e, f],
  ];
  return turned.every((part) => Math.abs(part) < 1e-9) && shifted.every((part) => Math.abs(part) < 1e-3);
}

/** Whether the canvas, moved like this, still has every part of the cell, at about its size. */
function coversScreen(moved: Matrix, { width, height }: Size): boolean {
  const scale = Math.hypot(moved[0], moved[1]);
  if (!(scale <= MOST_SCALE && scale >= 1 / MOST_SCALE)) return false;
  const back = invertMatrix(moved);
  const corners = [
    { x: 0, y: 0 },
    { x: width, y: height },
  ].map((corner) => applyMatrix(back, corner));
  return corners.every(({ x, y }) => x >= -MARGIN && y >= -MARGIN && x <= width + MARGIN && y <= height + MARGIN);
}

function paintCrowd(
  context: CanvasRenderingContext2D,
  { marks, imageToScreen, screen }: Drawn,
  look: CSSStyleDeclaration,
) {
  const { canvas } = context;
  const ratio = devicePixelRatio;
  const [width, height] = [screen.width + 2 * MARGIN, screen.height + 2 * MARGIN];
  // Also clears it.
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  Object.assign(canvas.style, {
    width: `${width}px`,
    height: `${height}px`,
    left: `${-MARGIN}px`,
    top: `${-MARGIN}px`,
    transformOrigin: `${MARGIN}px ${MARGIN}px`,
  });
  context.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, MARGIN * ratio);
  context.lineJoin = 'round';
  const area = { left: -MARGIN, top: -MARGIN, right: screen.width + MARGIN, bottom: screen.height + MARGIN };
  const placed = marks
    .map((mark) => ({ ...mark, bounds: mark.boundsAt(imageToScreen) }))
    .filter(({ bounds }) => overlaps(bounds, area));
  const outlines = placed.map(({ color = look.color, isDashed, outlineAt }) => {
    return { color, isDashed, path: new Path2D(outlineAt(imageToScreen)) };
  });
  // The dark edges of all come first, so that none lies over the line of another.
  context.lineWidth = 3.5;
  context.strokeStyle = 'rgb(0 0 0 / 70%)';
  for (const { path, isDashed } of outlines) {
    context.setLineDash(isDashed ? DASHES : []);
    context.stroke(path);
  }
  context.lineWidth = 1.5;
  for (const { color, path, isDashed } of outlines) {
    context.strokeStyle = color;
    context.setLineDash(isDashed ? DASHES : []);
    context.stroke(path);
  }
  context.setLineDash([]);
  context.font = `600 ${LABEL_SIZE}px ${look.fontFamily}`;
  context.lineWidth = 3;
  context.strokeStyle = 'rgb(0 0 0 / 80%)';
  for (const { label, color = look.color } of listLabels(placed, { imageToScreen, screen })) {
    context.fillStyle = color;
    for (const [n, line] of label.lines.entries()) {
      const y = label.at.y + n * LABEL_LINE_HEIGHT;
      context.strokeText(line, label.at.x, y);
      context.fillText(line, label.at.x, y);
    }
  }
}

type PlacedMark = Pick<CrowdMark, 'labelAt' | 'color'> & { readonly bounds: Bounds };
type ColoredLabel = { readonly label: CrowdLabel; readonly color: string | undefined };

/** The texts of marks on the screen that lie neither over other marks nor over texts before them. */
export function listLabels(
  marks: readonly PlacedMark[],
  { imageToScreen, screen }: CrowdView,
): readonly ColoredLabel[] {
  const area = { left: 0, top: 0, right: screen.width, bottom: screen.height };
  const listed: (ColoredLabel & { readonly box: Bounds })[] = [];
  const near = groupByPlace(marks);
  for (const mark of marks) {
    if (listed.length >= MOST_LABELS) break;
    if (!overlaps(mark.bounds, area)) continue;
    const label = mark.labelAt?.(imageToScreen);
    if (label === undefined || label.lines.length === 0) continue;
    const box = boundsOfLabel(label);
    if (listed.some((other) => overlaps(box, other.box))) continue;
    if (near(box).some((other) => other !== mark && overlaps(box, other.bounds))) continue;
    listed.push({ label, color: mark.color, box });
  }
  return listed;
}

/** Sides of the squares in which marks are looked up, in CSS pixels. */
const SQUARE = 64;

/** Finds the marks that may lie in a rectangle without looking at all of them. */
function groupByPlace(marks: readonly PlacedMark[]): (box: Bounds) => readonly PlacedMark[] {
  const groups = new Map<string, PlacedMark[]>();
  for (const mark of marks) {
    for (const key of squaresOf(mark.bounds)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [mark]);
      else group.push(mark);
    }
  }
  return (box) => [...squaresOf(box)].flatMap((key) => groups.get(key) ?? []);
}

function* squaresOf({ left, top, right, bottom }: Bounds): Generator<string> {
  // Only those on and around the screen count, however far a mark reaches.
  const [first, last] = [-MARGIN / SQUARE, 10_000 / SQUARE];
  const limit = (at: number) => Math.min(Math.max(Math.floor(at / SQUARE), first), last);
  for (let row = limit(top); row <= limit(bottom); row += 1) {
    for (let column = limit(left); column <= limit(right); column += 1) yield `${column} ${row}`;
  }
}

export function boundsOfLabel({ lines, at, width }: CrowdLabel): Bounds {
  const top = at.y - LABEL_SIZE;
  return { left: at.x, top, right: at.x + width, bottom: top + lines.length * LABEL_LINE_HEIGHT };
}

export function overlaps(a: Bounds, b: Bounds): boolean {
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}
