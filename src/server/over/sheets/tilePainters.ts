import type { LayerKind } from '../../../shared/contract/layers.ts';
import { buildContourLines } from '../../../shared/contourLines.ts';
import { decodeContours } from '../../../shared/contourPacket.ts';
import { decodeMasks } from '../../../shared/maskLayers.ts';
import { type PaintedMasks, paintMasks } from '../../../shared/paintMasks.ts';
import { FIRST_STYLE, type LayerLook } from '../../../shared/partStyle.ts';
import type { SheetBox, SheetShape } from './layOutSheet.ts';
import { blendPixel, type SheetCanvas } from './sheetCanvas.ts';
import type { TileLayer } from './sheetTasks.ts';
import { type LineBudget, strokeLines } from './strokeLines.ts';

/** Where the picture of a tile is on the sheet. */
export type TileGround = {
  readonly canvas: SheetCanvas;
  readonly box: SheetBox;
  readonly shape: Pick<SheetShape, 'rows' | 'columns'>;
  readonly budget: LineBudget;
};

/** Draws what a layer has over one picture, as the page does before its user changes anything. False if not all of it. */
type TilePainter = (ground: TileGround, layer: TileLayer) => boolean;

/** Width of a line. */
export const LINE_PX = 1.5;
/** A thin line needs more opacity than an area to be visible. */
const LINE_ALPHA = 0.5 + FIRST_STYLE.opacity / 2;
const POINT_PX = 4;

const paintMaskLayer: TilePainter = (ground, layer) => {
  const { layers } = decodeMasks(ownBuffer(layer.packet));
  const painted = paintMasks(layers, lookOf(layer));
  if (painted !== undefined) blendMasks(ground, painted);
  return true;
};

/** Structures overlap, and the area of one would cover the others, so that only their outlines are drawn. */
const paintContourLayer: TilePainter = ({ canvas, box, shape, budget }, layer) => {
  const [xScale, yScale] = [box.width / shape.columns, box.height / shape.rows];
  const toTile = (line: readonly number[]) => line.map((value, at) => value * (at % 2 === 0 ? xScale : yScale));
  const { colorOf } = lookOf(layer);
  let isWhole = true;
  for (const { part, lines, dashed, points } of buildContourLines(decodeContours(ownBuffer(layer.packet)))) {
    const stroke = { color: colorOf(part), alpha: LINE_ALPHA, width: LINE_PX };
    const crosses = points.flatMap((point) => crossLines(toTile(point)));
    isWhole = strokeLines(canvas, box, [...lines.map(toTile), ...crosses], stroke, budget) && isWhole;
    isWhole = strokeLines(canvas, box, dashed.map(toTile), { ...stroke, isDashed: true }, budget) && isWhole;
  }
  return isWhole;
};

/** The kinds of layers that sheets are drawn with. */
const PAINTERS: { readonly [Kind in LayerKind]?: TilePainter } = {
  mask: paintMaskLayer,
  contour: paintContourLayer,
};

export function isDrawnOnSheets(kind: LayerKind): boolean {
  return PAINTERS[kind] !== undefined;
}

export function paintLayer(ground: TileGround, layer: TileLayer): boolean {
  return PAINTERS[layer.kind]?.(ground, layer) ?? true;
}

/** A small cross around a point. */
export function crossLines([x = 0, y = 0]: readonly number[]): readonly (readonly number[])[] {
  return [
    [x - POINT_PX, y, x + POINT_PX, y],
    [x, y - POINT_PX, x, y + POINT_PX],
  ];
}

const NO_COLOR = [255, 255, 255] as const;

/** A part that is not listed is the background of a label map, which is never drawn. */
function lookOf({ parts }: TileLayer): LayerLook {
  const colors = new Map(parts.map(({ number, color }) => [number, color]));
  return {
    colorOf: (part) => colors.get(part) ?? NO_COLOR,
    styleOf: (part) => ({ ...FIRST_STYLE, isVisible: colors.has(part) }),
  };
}

/** Decoders take a buffer of which all is theirs. */
export function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Paints masks in the size of the tile: each pixel has the mean of those that it covers. */
export function blendMasks(
  { canvas, box, shape }: TileGround,
  { left, top, width, height, pixels }: PaintedMasks,
): void {
  const [perColumn, perRow] = [shape.columns / box.width, shape.rows / box.height];
  const firstX = Math.max(0, Math.floor(left / perColumn));
  const firstY = Math.max(0, Math.floor(top / perRow));
  const endX = Math.min(box.width, Math.ceil((left + width) / perColumn));
  const endY = Math.min(box.height, Math.ceil((top + height) / perRow));
  for (let y = firstY; y < endY; y += 1) {
    const rows = coveredRange(y, perRow);
    for (let x = firstX; x < endX; x += 1) {
      const columns = coveredRange(x, perColumn);
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let row = Math.max(rows.first, top); row < Math.min(rows.end, top + height); row += 1) {
        for (let column = Math.max(columns.first, left); column < Math.min(columns.end, left + width); column += 1) {
          const at = ((row - top) * width + column - left) * 4;
          const opacity = pixels[at + 3]!;
          if (opacity === 0) continue;
          red += pixels[at]! * opacity;
          green += pixels[at + 1]! * opacity;
          blue += pixels[at + 2]! * opacity;
          alpha += opacity;
        }
      }
      if (alpha === 0) continue;
      const share = alpha / (255 * (rows.end - rows.first) * (columns.end - columns.first));
      blendPixel(canvas, box, x, y, [red / alpha, green / alpha, blue / alpha], share);
    }
  }
}

/** The pixels of the picture that a pixel of the tile covers; the one in its middle if they are larger. */
function coveredRange(at: number, per: number): { readonly first: number; readonly end: number } {
  const first = Math.floor(at * per);
  const end = Math.floor((at + 1) * per);
  if (end > first) return { first, end };
  const middle = Math.floor((at + 0.5) * per);
  return { first: middle, end: middle + 1 };
}
