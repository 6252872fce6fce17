import type { Rgb } from '../../../shared/cielab.ts';
import { encodeJpeg } from '../../images/pixels/jpeg/encodeJpeg.ts';
import { decodePng } from '../../images/pixels/png/decodePng.ts';
import { encodePng } from '../../images/pixels/png/encodePng.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { layOutSheet, type SheetBox } from './layOutSheet.ts';
import { paintErrors } from './paintErrors.ts';
import { paintMark } from './paintMarks.ts';
import { blendPixel, createSheetCanvas, paintPicture, type SheetCanvas } from './sheetCanvas.ts';
import type { DrawnSheet, DrawSheetInput, PicturePiece, SheetTile, TileSign } from './sheetTasks.ts';
import { paintLayer } from './tilePainters.ts';
import { strokeLines } from './strokeLines.ts';

/** Pixels along the lines of one picture: more could not be told apart in it. */
const MOST_LINE_PIXELS = 2_000_000;

/** Implements `drawSheetTask`. */
export function drawSheet({ width, columns, tiles, jpegQuality }: DrawSheetInput, context: TaskContext): DrawnSheet {
  const { height, boxes } = layOutSheet(tiles, width, columns);
  const canvas = createSheetCanvas(width, height);
  const incomplete: number[] = [];
  for (const [at, tile] of tiles.entries()) {
    context.throwIfCancelled();
    const box = boxes[at]!;
    for (const piece of tile.pieces) paintPiece(canvas, box, piece);
    if (!paintOver(canvas, box, tile, context)) incomplete.push(at);
    if (tile.sign !== undefined) paintSign(canvas, box, tile.sign);
  }
  context.throwIfCancelled();
  const bytes = context.transfer(encode(canvas, jpegQuality));
  return { bytes, rows: height, columns: width, incomplete };
}

function paintPiece(canvas: SheetCanvas, box: SheetBox, piece: PicturePiece): void {
  const picture = decodePng(piece.png);
  const [left, right] = [piece.left, piece.right].map((share) => Math.round(share * box.width));
  const [top, bottom] = [piece.top, piece.bottom].map((share) => Math.round(share * box.height));
  const own = { left: box.left + left!, top: box.top + top!, width: right! - left!, height: bottom! - top! };
  const usedColumns = piece.usedWidth * picture.columns;
  paintPicture(canvas, own, { picture, usedColumns, usedRows: piece.usedHeight * picture.rows });
}

function paintOver(canvas: SheetCanvas, box: SheetBox, tile: SheetTile, { throwIfCancelled }: TaskContext): boolean {
  const ground = { canvas, box, shape: tile, budget: { left: MOST_LINE_PIXELS } };
  let isWhole = true;
  for (const layer of tile.layers) {
    throwIfCancelled();
    isWhole = paintLayer(ground, layer) && isWhole;
  }
  throwIfCancelled();
  if (tile.errors !== undefined) isWhole = paintErrors(ground, tile.errors) && isWhole;
  for (const mark of tile.marks) isWhole = paintMark(ground, mark) && isWhole;
  return isWhole;
}

const SIGN_COLORS: Readonly<Record<TileSign, Rgb>> = { damaged: [255, 159, 28], failed: [128, 128, 128] };
/** Side of the corner that says that a picture is damaged. */
const CORNER_PX = 14;

/** A triangle in the corner of a damaged picture; two lines through the place of one that could not be made. */
function paintSign(canvas: SheetCanvas, box: SheetBox, sign: TileSign): void {
  const color = SIGN_COLORS[sign];
  const { width, height } = box;
  if (sign === 'damaged') {
    for (let y = 0; y < CORNER_PX; y += 1) {
      for (let x = 0; x < CORNER_PX - y; x += 1) blendPixel(canvas, box, x, y, color, 1);
    }
    return;
  }
  const edge = [0.5, 0.5, width - 0.5, 0.5, width - 0.5, height - 0.5, 0.5, height - 0.5, 0.5, 0.5];
  const cross = [
    [0, 0, width, height],
    [width, 0, 0, height],
  ];
  strokeLines(canvas, box, [edge, ...cross], { color, alpha: 1, width: 1 }, { left: MOST_LINE_PIXELS });
}

function encode({ width, height, pixels, isColored }: SheetCanvas, quality: number | undefined): Uint8Array {
  const channels = isColored ? 3 : 1;
  const own = isColored ? new Uint8Array(pixels.buffer) : everyThird(pixels);
  if (quality === undefined) return encodePng({ rows: height, columns: width, channels, pixels: own });
  const bytesPerRow = width * channels;
  const readRows = (from: number, to: number) => own.subarray(from * bytesPerRow, to * bytesPerRow);
  return encodeJpeg({ rows: height, columns: width, channels, readRows, quality });
}

function everyThird(pixels: Uint8ClampedArray): Uint8Array {
  const gray = new Uint8Array(pixels.length / 3);
  for (let at = 0; at < gray.length; at += 1) gray[at] = pixels[3 * at]!;
  return gray;
}
