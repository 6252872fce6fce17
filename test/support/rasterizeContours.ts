import type { ContourItem } from '../../src/shared/contourPacket.ts';

/** The centres of pixels that closed contours contain, by the even-odd rule: 1 inside. */
export function rasterizeContours(
  items: readonly ContourItem[],
  [rows, columns]: readonly [rows: number, columns: number],
): Uint8Array {
  const mask = new Uint8Array(rows * columns);
  for (const { points, isClosed } of items) {
    if (!isClosed) continue;
    for (let at = 0, before = points.length - 2; at < points.length; before = at, at += 2) {
      const [x1, y1, x2, y2] = [points[at]!, points[at + 1]!, points[before]!, points[before + 1]!];
      const first = Math.max(0, Math.ceil(Math.min(y1, y2)));
      const last = Math.min(rows - 1, Math.floor(Math.max(y1, y2)));
      for (let y = first; y <= last; y += 1) {
        if (y1 > y === y2 > y) continue;
        const end = x1 + ((x2 - x1) * (y - y1)) / (y2 - y1);
        for (let x = 0; x < columns && x < end; x += 1) mask[y * columns + x]! ^= 1;
      }
    }
  }
  return mask;
}
