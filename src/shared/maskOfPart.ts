import type { MaskLayer, SourceMasks } from './maskLayers.ts';
import { createMaskBits, type MaskBits } from './maskRuns.ts';

/** The pixels of one segment. A fraction counts from one half. */
export function maskOfPart({ rows, columns, layers }: SourceMasks, part: number): MaskBits {
  const mask = createMaskBits(columns, rows);
  for (const layer of layers) {
    if (layer.kind === 'labels' || layer.segment === part) addLayer(mask, layer, part);
  }
  return mask;
}

function addLayer({ bits, columns }: MaskBits, layer: MaskLayer, part: number): void {
  const { kind, maximum = 255, samples } = layer;
  const least = kind === 'fractions' ? maximum / 2 : 1;
  for (let row = 0; row < layer.rows; row += 1) {
    for (let column = 0; column < layer.columns; column += 1) {
      const sample = samples[row * layer.columns + column]!;
      const isInside = kind === 'labels' ? sample === part : sample >= least;
      if (isInside) bits[(layer.top + row) * columns + layer.left + column] = 1;
    }
  }
}
