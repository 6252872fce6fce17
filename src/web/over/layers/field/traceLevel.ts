import type { SpreadField } from './spreadField.ts';

/**
 * The lines on which a field has a value, as pairs of points: x, y, x, y in pixels of the picture. Marching squares; the
 * mean of a cell decides a saddle.
 */
export function traceLevel({ left, top, width, height, parts, values }: SpreadField, level: number): number[] {
  const lines: number[] = [];
  const toX = (x: number) => (left + x + 0.5) / parts;
  const toY = (y: number) => (top + y + 0.5) / parts;
  for (let y = 0; y + 1 < height; y += 1) {
    for (let x = 0; x + 1 < width; x += 1) {
      const at = y * width + x;
      const [a, b] = [values[at]!, values[at + 1]!];
      const [d, c] = [values[at + width]!, values[at + width + 1]!];
      const shape = (a >= level ? 1 : 0) + (b >= level ? 2 : 0) + (c >= level ? 4 : 0) + (d >= level ? 8 : 0);
      // A missing corner is below every level, but there is no line towards it.
      if (shape === 0 || shape === 15 || Number.isNaN(a + b + c + d)) continue;
      const part = (from: number, to: number) => (level - from) / (to - from);
      const over = () => lines.push(toX(x + part(a, b)), toY(y));
      const right = () => lines.push(toX(x + 1), toY(y + part(b, c)));
      const under = () => lines.push(toX(x + part(d, c)), toY(y + 1));
      const before = () => lines.push(toX(x), toY(y + part(a, d)));
      const isHigh = shape === 5 || shape === 10 ? (a + b + c + d) / 4 >= level : false;
      switch (shape) {
        case 1:
        case 14:
          before();
          over();
          break;
        case 2:
        case 13:
          over();
          right();
          break;
        case 4:
        case 11:
          right();
          under();
          break;
        case 8:
        case 7:
          under();
          before();
          break;
        case 3:
        case 12:
          before();
          right();
          break;
        case 6:
        case 9:
          over();
          under();
          break;
        default:
          if ((shape === 5) === isHigh) {
            before();
            under();
            over();
            right();
          } else {
            before();
            over();
            under();
            right();
          }
      }
    }
  }
  return lines;
}
