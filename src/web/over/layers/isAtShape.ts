/** x and y in pixels of a picture. */
export type ShapePoint = readonly [x: number, y: number];

/** Whether a point is on a line, or inside of it if the line is closed. `reach` is how close to the line is on it. */
export function isAtLine(
  points: readonly ShapePoint[],
  at: ShapePoint,
  { isClosed, reach }: { readonly isClosed: boolean; readonly reach: number },
): boolean {
  let isInside = false;
  for (const [i, from] of points.entries()) {
    const to = points[i + 1] ?? (isClosed ? points[0] : undefined);
    if (to === undefined) break;
    if (distanceToLine(from, to, at) <= reach) return true;
    const crosses = from[1] > at[1] !== to[1] > at[1];
    if (crosses && at[0] < from[0] + ((at[1] - from[1]) / (to[1] - from[1])) * (to[0] - from[0])) isInside = !isInside;
  }
  return isClosed && isInside;
}

/** By two conjugate diameters: their radii are the axes of coordinates in which the ellipse is a circle. */
export function isInEllipse(ends: readonly ShapePoint[], [x, y]: ShapePoint): boolean {
  const [a, b, c, d] = ends;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  const [px, py, qx, qy] = [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2, (d[0] - c[0]) / 2, (d[1] - c[1]) / 2];
  const [dx, dy] = [x - (a[0] + b[0]) / 2, y - (a[1] + b[1]) / 2];
  const determinant = px * qy - py * qx;
  if (determinant === 0) return false;
  return Math.hypot((dx * qy - dy * qx) / determinant, (px * dy - py * dx) / determinant) <= 1;
}

export function distanceOf([x1, y1]: ShapePoint, [x2, y2]: ShapePoint): number {
  return Math.hypot(x2 - x1, y2 - y1);
}

function distanceToLine(from: ShapePoint, to: ShapePoint, at: ShapePoint): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = dx * dx + dy * dy;
  const t = size === 0 ? 0 : ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / size;
  const part = Math.min(1, Math.max(0, t));
  return distanceOf([from[0] + part * dx, from[1] + part * dy], at);
}
