import type { SourceMasks } from '../../../../shared/maskLayers.ts';

/** The segments at a pixel, the uppermost first. */
export function findMasksAt({ layers }: SourceMasks, column: number, row: number): number[] {
  const found = new Set<number>();
  for (const { kind, segment, top, left, rows, columns, samples } of layers.toReversed()) {
    const [y, x] = [row - top, column - left];
    if (y < 0 || x < 0 || y >= rows || x >= columns) continue;
    const sample = samples[y * columns + x]!;
    if (sample === 0) continue;
    if (kind === 'labels') found.add(sample);
    else if (segment !== undefined) found.add(segment);
  }
  return [...found];
}
