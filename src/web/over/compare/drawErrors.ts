import type { SourceMasks } from '../../../shared/maskLayers.ts';
import type { PictureUnder } from '../../show/pictures/layerTarget.ts';
import type { Matrix } from '../../kit/state/viewState.ts';
import { LAYER_PAINTERS } from '../layers/layerPainters.ts';
import { type CompareChoice, ERROR_KINDS, type ErrorKind } from '../../kit/state/compareChoice.ts';
import { ERROR_COLORS, ERROR_SEGMENTS } from '../../../shared/errorMasks.ts';
import { lookOfErrors } from './errorMasks.ts';

export type DrawnErrors = {
  readonly masks: SourceMasks;
  readonly target: PictureUnder;
  readonly choice: Pick<CompareChoice, 'look' | 'only'>;
};

export type ErrorDrawer = {
  draw(context: CanvasRenderingContext2D, drawn: DrawnErrors | undefined, imageToCanvas: Matrix): void;
};

/** Draws errors as masks are drawn, and hatched if they are to be told apart without colors. */
export function createErrorDrawer(): ErrorDrawer {
  const hatching = document.createElement('canvas');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const drawer = LAYER_PAINTERS.mask.createDrawer({ svg, top: hatching });
  let last: { readonly choice: DrawnErrors['choice']; readonly look: ReturnType<typeof lookOfErrors> } | undefined;

  return {
    draw(context, drawn, imageToCanvas) {
      if (drawn === undefined) {
        drawer.draw(context, [], imageToCanvas);
        return;
      }
      const { masks, target, choice } = drawn;
      if (last?.choice.look !== choice.look || last.choice.only !== choice.only) {
        last = { choice, look: lookOfErrors(choice) };
      }
      drawer.draw(context, [{ packet: masks, target, look: last.look }], imageToCanvas);
      if (choice.look !== 'hatched') return;
      for (const kind of ERROR_KINDS) {
        if (choice.only === undefined || choice.only === kind) hatch(context, hatching, { masks, kind, imageToCanvas });
      }
    },
  };
}

type Hatched = { readonly masks: SourceMasks; readonly kind: ErrorKind; readonly imageToCanvas: Matrix };

/** Fills the pixels of a kind with its lines, which are those of the screen at every zoom. */
function hatch(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, { masks, kind, imageToCanvas }: Hatched) {
  const [layer] = masks.layers;
  const lines = canvas.getContext('2d');
  if (layer === undefined || lines === null) return;
  const { rows, columns, samples } = layer;
  const pixels = new ImageData(columns, rows);
  const words = new Uint32Array(pixels.data.buffer);
  const segment = ERROR_SEGMENTS[kind];
  let hasSome = false;
  for (let at = 0; at < samples.length; at += 1) {
    if (samples[at] !== segment) continue;
    words[at] = OPAQUE;
    hasSome = true;
  }
  if (!hasSome) return;
  const mask = document.createElement('canvas');
  [mask.width, mask.height] = [columns, rows];
  mask.getContext('2d')?.putImageData(pixels, 0, 0);
  const { width, height } = context.canvas;
  [canvas.width, canvas.height] = [width, height];
  lines.setTransform(...imageToCanvas);
  lines.imageSmoothingEnabled = false;
  lines.drawImage(mask, 0, 0);
  lines.setTransform(1, 0, 0, 1, 0, 0);
  lines.globalCompositeOperation = 'source-in';
  lines.fillStyle = lines.createPattern(createTile(kind), 'repeat') ?? '#000';
  lines.fillRect(0, 0, width, height);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(canvas, 0, 0);
}

const OPAQUE = 0xff_ff_ff_ff;
const TILE_PX = 8;

/** Lines to the right up for false positives, to the right down for false negatives, and dots where both agree. */
function createTile(kind: ErrorKind): HTMLCanvasElement {
  const tile = document.createElement('canvas');
  const side = TILE_PX * Math.max(1, Math.round(devicePixelRatio));
  [tile.width, tile.height] = [side, side];
  const context = tile.getContext('2d');
  if (context === null) return tile;
  context.fillStyle = `rgb(${ERROR_COLORS[kind].join(' ')})`;
  context.strokeStyle = '#000';
  context.lineWidth = side / 5;
  context.beginPath();
  if (kind === 'tp') {
    context.fillStyle = '#000';
    context.fillRect(side / 2 - 1, side / 2 - 1, side / 4, side / 4);
    return tile;
  }
  // Each line once more on both sides, so that tiles meet without a gap.
  for (const shift of [-side, 0, side]) {
    if (kind === 'fp') {
      context.moveTo(shift - 1, side + 1);
      context.lineTo(shift + side + 1, -1);
    } else {
      context.moveTo(shift - 1, -1);
      context.lineTo(shift + side + 1, side + 1);
    }
  }
  context.stroke();
  return tile;
}
