import type { Rgb } from '../../../shared/cielab.ts';
import { coverMask } from '../../../shared/coverage.ts';
import { traitsOf } from '../../../shared/markTraits.ts';
import type { TileMark } from './sheetTasks.ts';
import { type TileLine, strokeLines } from './strokeLines.ts';
import { blendMasks, crossLines, LINE_PX, type TileGround } from './tilePainters.ts';

const HALO: Rgb = [0, 0, 0];
const HALO_PX = 3.5;
const HALO_ALPHA = 0.7;
/** As the page paints masks. */
const MASK_ALPHA = 0.45;
const ELLIPSE_CORNERS = 64;
/** Length of the lines of an arrowhead, and their angle to the arrow. */
const BARB_PX = 8;
const BARB_ANGLE = Math.PI / 7;

/** Draws a mark as the page does, without its texts. False if not all of it. */
export function paintMark(ground: TileGround, mark: TileMark): boolean {
  const { canvas, box, shape, budget } = ground;
  if (mark.mask !== undefined) {
    paintMask(ground, mark, mark.mask);
    return true;
  }
  const [xScale, yScale] = [box.width / shape.columns, box.height / shape.rows];
  const points = Array.from(mark.points, (value, at) => value * (at % 2 === 0 ? xScale : yScale));
  const lines = linesOf(mark, points);
  const halo = { color: HALO, alpha: HALO_ALPHA, width: HALO_PX, isDashed: mark.isInterpolated };
  if (!strokeLines(canvas, box, lines, halo, budget)) return false;
  return strokeLines(canvas, box, lines, { ...halo, color: mark.color, alpha: 1, width: LINE_PX }, budget);
}

function linesOf({ kind }: TileMark, points: readonly number[]): readonly TileLine[] {
  const [x1 = 0, y1 = 0, x2 = x1, y2 = y1] = points;
  switch (traitsOf(kind).shape) {
    case 'point':
      return crossLines([x1, y1]);
    case 'box':
      return [[x1, y1, x2, y1, x2, y2, x1, y2, x1, y1]];
    case 'ellipse':
      return [ellipseIn(x1, y1, x2, y2)];
    case 'polygon':
      return [[...points, x1, y1]];
    case 'lines':
      return [points.slice(0, 4), points.slice(4)];
    case 'line':
      return kind === 'arrow' ? [[...points], ...barbsAt(x1, y1, x2, y2)] : [[...points]];
    case 'pixels':
      return [];
  }
}

function ellipseIn(x1: number, y1: number, x2: number, y2: number): TileLine {
  return Array.from({ length: ELLIPSE_CORNERS + 1 }, (_, n) => {
    const angle = (2 * Math.PI * n) / ELLIPSE_CORNERS;
    return [(x1 + x2) / 2 + ((x2 - x1) / 2) * Math.cos(angle), (y1 + y2) / 2 + ((y2 - y1) / 2) * Math.sin(angle)];
  }).flat();
}

/** At the tip of an arrow, its first point. */
function barbsAt(x1: number, y1: number, x2: number, y2: number): readonly TileLine[] {
  const direction = Math.atan2(y2 - y1, x2 - x1);
  return [-BARB_ANGLE, BARB_ANGLE].map((turn) => [
    x1,
    y1,
    x1 + BARB_PX * Math.cos(direction + turn),
    y1 + BARB_PX * Math.sin(direction + turn),
  ]);
}

function paintMask(ground: TileGround, { color }: TileMark, { rectangle, runs }: NonNullable<TileMark['mask']>): void {
  const { rows, columns } = ground.shape;
  const [left = 0, top = 0, width = 0, height = 0] = rectangle;
  const right = Math.min(columns, left + width);
  const bottom = Math.min(rows, top + height);
  if (right <= left || bottom <= top) return;
  const own = { left, top, width: right - left, height: bottom - top };
  const pixels = new Uint8ClampedArray(own.width * own.height * 4);
  const paint = [...color, 255 * MASK_ALPHA];
  coverMask(rectangle, runs, (row, first, end) => {
    if (row >= bottom) return;
    for (let column = first; column < Math.min(end, right); column += 1) {
      pixels.set(paint, ((row - top) * own.width + column - left) * 4);
    }
  });
  blendMasks(ground, { ...own, pixels });
}
