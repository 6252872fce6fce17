import type { MaskLayer, SourceMasks } from '../../../../shared/maskLayers.ts';
import { toPicturePixels } from '../../../show/pictures/layerTarget.ts';
import { composeMatrices } from '../../../show/pictures/viewTransform.ts';
import type { Matrix } from '../../../kit/state/viewState.ts';
import type { LayerLook } from '../../../../shared/partStyle.ts';
import type { StyledLayer, LayerDrawer } from '../layerPainter.ts';
import { paintMasks } from '../../../../shared/paintMasks.ts';
import { type OutlineLines, traceOutlines } from './traceOutlines.ts';

const OUTLINE_PX = 1.5;

export function createMaskDrawer(): LayerDrawer<SourceMasks> {
  /** Pictures of the last drawing, so that moving the view repaints nothing. */
  let painted = new Map<SourceMasks, { readonly look: LayerLook; readonly picture: Picture | undefined }>();

  const pictureOf = ({ packet, look }: StyledLayer<SourceMasks>) => {
    const known = painted.get(packet);
    return known?.look === look ? known.picture : toPicture(packet, look);
  };

  return {
    draw(context, drawn, imageToCanvas) {
      const next: typeof painted = new Map();
      for (const one of drawn) {
        const picture = pictureOf(one);
        next.set(one.packet, { look: one.look, picture });
        const toCanvas = composeMatrices(imageToCanvas, toPicturePixels(one.target));
        if (picture !== undefined) {
          context.setTransform(...toCanvas);
          // A pixel either belongs to a segment or does not, so it is not interpolated.
          context.imageSmoothingEnabled = false;
          context.drawImage(picture.canvas, picture.left, picture.top);
        }
        for (const layer of one.packet.layers) strokeOutlines(context, layer, one.look, toCanvas);
      }
      painted = next;
    },
  };
}

type Picture = { readonly canvas: HTMLCanvasElement; readonly left: number; readonly top: number };

function toPicture({ layers }: SourceMasks, look: LayerLook): Picture | undefined {
  const masks = paintMasks(layers, look);
  if (masks === undefined) return undefined;
  const canvas = document.createElement('canvas');
  canvas.width = masks.width;
  canvas.height = masks.height;
  canvas.getContext('2d')?.putImageData(new ImageData(masks.pixels, masks.width, masks.height), 0, 0);
  return { canvas, left: masks.left, top: masks.top };
}

const traced = new WeakMap<MaskLayer, ReadonlyMap<number, OutlineLines>>();

function outlinesOf(layer: MaskLayer): ReadonlyMap<number, OutlineLines> {
  const known = traced.get(layer) ?? traceOutlines(layer);
  traced.set(layer, known);
  return known;
}

/** Drawn in screen coordinates instead of image coordinates, so that lines are equally thin at every zoom. */
function strokeOutlines(
  context: CanvasRenderingContext2D,
  layer: MaskLayer,
  { colorOf, styleOf }: LayerLook,
  [a, b, c, d, e, f]: Matrix,
): void {
  const isOutlined = (segment: number) => styleOf(segment).isVisible && styleOf(segment).isOutline;
  if (layer.kind !== 'labels' && !isOutlined(layer.segment ?? 0)) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.lineWidth = OUTLINE_PX * devicePixelRatio;
  context.lineCap = 'square';
  for (const [segment, lines] of outlinesOf(layer)) {
    if (!isOutlined(segment)) continue;
    context.beginPath();
    for (let i = 0; i < lines.length; i += 4) {
      const [fromX, fromY, toX, toY] = [lines[i]!, lines[i + 1]!, lines[i + 2]!, lines[i + 3]!];
      context.moveTo(a * fromX + c * fromY + e, b * fromX + d * fromY + f);
      context.lineTo(a * toX + c * toY + e, b * toX + d * toY + f);
    }
    context.strokeStyle = `rgb(${colorOf(segment).join(' ')})`;
    // A thin line needs more opacity than an area to be visible.
    context.globalAlpha = 0.5 + styleOf(segment).opacity / 2;
    context.stroke();
  }
  context.globalAlpha = 1;
}
