import type { MaskBits } from '../../../../shared/maskRuns.ts';
import type { Point } from '../../../kit/state/viewState.ts';

/** Pixels `left` to `right - 1` and `top` to `bottom - 1`. */
export type PixelBox = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

export type Dab = {
  /** In widths of a pixel. */
  readonly radius: number;
  /** Height of a pixel divided by its width, so that the brush is round on the screen. */
  readonly aspect: number;
  /** 1 to paint, 0 to erase. */
  readonly value: 0 | 1;
  /** Whether this pixel may be painted. Absent: all. */
  readonly accepts?: ((at: number) => boolean) | undefined;
};

/**
 * Paints the pixels whose center is at most `radius` away from the line between two points, and the pixel under each of
 * them, so that the smallest brush paints one pixel. Returns where pixels may have changed.
 */
export function paintStroke(mask: MaskBits, from: Point, to: Point, dab: Dab): PixelBox | undefined {
  const { bits, columns, rows } = mask;
  const { radius, aspect, value, accepts } = dab;
  const high = radius / aspect;
  const box = {
    left: Math.max(0, Math.floor(Math.min(from.x, to.x) - radius)),
    right: Math.min(columns, Math.ceil(Math.max(from.x, to.x) + radius) + 1),
    top: Math.max(0, Math.floor(Math.min(from.y, to.y) - high)),
    bottom: Math.min(rows, Math.ceil(Math.max(from.y, to.y) + high) + 1),
  };
  if (box.left >= box.right || box.top >= box.bottom) return undefined;
  const [dx, dy] = [to.x - from.x, (to.y - from.y) * aspect];
  const squared = dx * dx + dy * dy;
  for (let row = box.top; row < box.bottom; row += 1) {
    const y = (row + 0.5 - from.y) * aspect;
    for (let column = box.left; column < box.right; column += 1) {
      const at = row * columns + column;
      if (bits[at] === value) continue;
      const x = column + 0.5 - from.x;
      const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / squared));
      const [offX, offY] = [x - along * dx, y - along * dy];
      const isNear = offX * offX + offY * offY <= radius * radius;
      if (!isNear && !isUnder(from, column, row) && !isUnder(to, column, row)) continue;
      if (accepts === undefined || accepts(at)) bits[at] = value;
    }
  }
  return box;
}

function isUnder({ x, y }: Point, column: number, row: number): boolean {
  return Math.floor(x) === column && Math.floor(y) === row;
}
