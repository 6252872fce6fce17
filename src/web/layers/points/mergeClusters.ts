import type { PointClusters } from '../../../shared/pointsPacket.ts';

/** All visible annotations of one cell. */
export type Cluster = {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  /** The part with most of them. */
  readonly part: number;
  /** Corner of the cell. */
  readonly left: number;
  readonly top: number;
};

type Sum = { x: number; y: number; count: number; part: number; most: number };

/** Joins the entries of visible parts in each cell. The region begins at a corner of a cell. */
export function mergeClusters(
  { cell, x, y, parts, counts }: PointClusters,
  isVisible: (part: number) => boolean,
): Cluster[] {
  const cells = new Map<string, Sum>();
  for (const [i, part] of parts.entries()) {
    if (!isVisible(part)) continue;
    const [atX, atY, count] = [x[i]!, y[i]!, counts[i]!];
    const key = `${Math.floor(atX / cell)} ${Math.floor(atY / cell)}`;
    const known = cells.get(key);
    if (known === undefined) cells.set(key, { x: atX * count, y: atY * count, count, part, most: count });
    else {
      known.x += atX * count;
      known.y += atY * count;
      known.count += count;
      if (count > known.most) [known.most, known.part] = [count, part];
    }
  }
  return [...cells.values()].map(({ x: sumX, y: sumY, count, part }) => {
    const [middleX, middleY] = [sumX / count, sumY / count];
    return {
      x: middleX,
      y: middleY,
      count,
      part,
      left: Math.floor(middleX / cell) * cell,
      top: Math.floor(middleY / cell) * cell,
    };
  });
}
