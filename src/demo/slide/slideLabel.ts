import { drawText, textWidth } from '../lettering.ts';
import { createRaster, fillRectangle, type Raster, setPixel } from './raster.ts';

export const LABEL_TEXT = 'NEGATO DEMO';
export const BARCODE = 'DEMO-1';

const SIDE = 400;
const INK = [34, 38, 46] as const;

/** The paper label at the end of the glass: a description, and a Code 39 barcode that a scanner can read. */
export function createSlideLabel(): Raster {
  const raster = createRaster(SIDE, SIDE, [250, 249, 242]);
  fillRectangle(raster, { left: 0, top: 0, width: SIDE, height: 54 }, [84, 140, 168]);
  writeLine(raster, { text: LABEL_TEXT, row: 16, dot: 4 });
  writeLine(raster, { text: 'LIVER BIOPSY', row: 90, dot: 4 });
  writeLine(raster, { text: 'H&E', row: 142, dot: 6 });
  drawBarcode(raster, { content: BARCODE, top: 222, height: 104 });
  writeLine(raster, { text: BARCODE, row: 348, dot: 4 });
  return raster;
}

function writeLine(raster: Raster, { text, row, dot }: { text: string; row: number; dot: number }): void {
  const column = Math.round((SIDE - textWidth(text, dot)) / 2);
  drawText(text, { column, row, dot }, (x, y) => setPixel(raster, x, y, INK));
}

/** Widths of five bars and the four gaps between them; `w` is wide. ISO/IEC 16388. */
const CODE_39: Readonly<Record<string, string>> = {
  '*': 'nwnnwnwnn',
  '-': 'nwnnnnwnw',
  '1': 'wnnwnnnnw',
  D: 'nnnnwwnnw',
  E: 'wnnnwwnnn',
  M: 'wnwnnnnwn',
  O: 'wnnnwnnwn',
};
const NARROW = 2;
const WIDE = 5;

function drawBarcode(raster: Raster, { content, top, height }: { content: string; top: number; height: number }): void {
  const widths = `*${content}*`.split('').flatMap((character) => {
    const pattern = CODE_39[character];
    if (pattern === undefined) throw new RangeError(`Code 39 has no pattern here for ${JSON.stringify(character)}`);
    return `${pattern}n`.split('').map((width) => (width === 'w' ? WIDE : NARROW));
  });
  const total = widths.reduce((sum, width) => sum + width, 0);
  let left = Math.round((SIDE - total) / 2);
  for (const [index, width] of widths.entries()) {
    // A pattern with its trailing gap has ten elements, so bars are always at even indices.
    if (index % 2 === 0) fillRectangle(raster, { left, top, width, height }, INK);
    left += width;
  }
}
