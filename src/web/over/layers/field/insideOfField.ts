import { type FieldPacket, valueOfField } from '../../../../shared/fieldPacket.ts';
import { createMaskBits, type MaskBits } from '../../../../shared/maskRuns.ts';

/** Probabilities from here on are inside, as on the server. */
const THRESHOLD = 0.5;

/** The pixels at which a probability is large enough. The packet is that of one part. */
export function insideOfField({ rows, columns, item }: FieldPacket): MaskBits {
  const mask = createMaskBits(columns, rows);
  if (item === undefined) return mask;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = valueOfField(item, column, row);
      if (value !== undefined && value >= THRESHOLD) mask.bits[row * columns + column] = 1;
    }
  }
  return mask;
}
