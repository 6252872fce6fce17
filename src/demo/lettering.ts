/** Letters of 5 by 7 dots: seven rows of five bits, the leftmost dot in the highest bit. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  B: [30, 17, 17, 30, 17, 17, 30],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  G: [14, 17, 16, 23, 17, 17, 15],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  L: [16, 16, 16, 16, 16, 16, 31],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  P: [30, 17, 17, 30, 16, 16, 16],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  V: [17, 17, 17, 17, 17, 10, 4],
  Y: [17, 17, 10, 4, 4, 4, 4],
  '&': [12, 18, 20, 8, 21, 18, 13],
  '-': [0, 0, 0, 31, 0, 0, 0],
  '1': [4, 12, 4, 4, 4, 4, 14],
  ' ': [0, 0, 0, 0, 0, 0, 0],
};

const ADVANCE = 6;

/** Calls `paint` for every pixel of a line of text whose upper left corner is at (`column`, `row`). */
export function drawText(
  text: string,
  { column, row, dot }: { column: number; row: number; dot: number },
  paint: (column: number, row: number) => void,
): void {
  for (const [position, character] of text.split('').entries()) {
    const glyph = GLYPHS[character];
    if (glyph === undefined) throw new RangeError(`there is no glyph for ${JSON.stringify(character)}`);
    for (let y = 0; y < 7 * dot; y++) {
      for (let x = 0; x < 5 * dot; x++) {
        if (((glyph[Math.floor(y / dot)]! >> (4 - Math.floor(x / dot))) & 1) === 0) continue;
        paint(column + position * ADVANCE * dot + x, row + y);
      }
    }
  }
}

export function textWidth(text: string, dot: number): number {
  return (text.length * ADVANCE - 1) * dot;
}
