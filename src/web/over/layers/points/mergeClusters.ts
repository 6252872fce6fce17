import type { PointClusters } from '../../../../shared/pointsPacket.ts';

/** All visible annotations of one cell. */
export type Cluster = {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  /** The part with most of them. */
  readonly part: number;
  /** Their mean value; NaN if none has one. */
  readonly value: number;
  /** Corner of the cell. */
  readonly left: number;
  readonly top: number;
};

type Sum = { x: number; y: number; count: number; part: number; most: number; value: number; valued: number };

/** Joins the entries of visible parts in each cell. The region begins at a corner of a cell. */
export function mergeClusters(
  { cell, x, y, parts, counts }: PointClusters,
  isVisible: (part: number) => boolean,
  countOf: (entry: number) => number = (entry) => counts[entry]!,
  valueOf: (entry: number) => number = () => NaN,
): Cluster[] {
  const cells = new Map<string, Sum>();
  for (const [i, part] of parts.entries()) {
    if (!isVisible(part)) continue;
    const [atX, atY, count] = [x[i]!, y[i]!, countOf(i)];
    if (count === 0) continue;
    const key = `${Math.floor(atX / cell)} ${Math.floor(atY / cell)}`;
    const known = cells.get(key) ?? { x: 0, y: 0, count: 0, part, most: 0, value: 0, valued: 0 };
    cells.set(key, known);
    known.x += atX * count;
    known.y += atY * count;
    known.count += count;
    if (count > known.most) [known.most, known.part] = [count, part];
    const value = valueOf(i);
    if (Number.isNaN(value)) continue;
    known.value += value * count;
    known.valued += count;
  }
  return [...cells.values()].map(({ x: sumX, y: sumY, count, part, value, valued }) => {
    const [middleX, middleY] = [sumX / count, sumY / count];
    return {
      x: middleX,
      y: middleY,
      count,
      part,
      value: value / valued,
      left: Math.floor(middleX / cell) * cell,
      top: Math.floor(middleY / cell) * cell,
    };
  });
}
