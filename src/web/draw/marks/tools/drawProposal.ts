import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { decodeMask } from '../../../../shared/maskRuns.ts';
import type { PaintGround } from '../masks/paintGround.ts';
import { type Proposal, proposedMark } from './proposals.ts';

/** Of 255: what stays, what joins the mask, and what leaves it. */
const ALPHAS = [0, 100, 170, 46] as const;
const KEPT = 1;
const ADDED = 2;
const REMOVED = 3;

/** 0 to 255. */
type Color = readonly [red: number, green: number, blue: number, alpha: number];

type DrawProposal = (screen: CanvasRenderingContext2D, proposal: Proposal, ground: PaintGround, color: Color) => void;

/** Draws what a mask would become, in pixels of the picture. Only the rectangle around it is looked at. */
export function createProposalDrawing(): DrawProposal {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  let known: { readonly proposal: Proposal; readonly key: string; readonly box: Box | undefined } | undefined;

  return (screen, proposal, ground, color) => {
    if (context === null) return;
    const { planned, mark } = proposal;
    const isSame = known?.proposal.planned === planned && known?.proposal.mark === mark && known?.key === ground.key;
    if (!isSame || known === undefined) {
      const [before, after] = [ground.maskOf(mark), planned && ground.maskOf(proposedMark(proposal))];
      const box = boxAround([before, after].filter((mask) => mask !== undefined));
      known = { proposal, key: ground.key, box };
      if (box !== undefined) {
        canvas.width = box.width;
        canvas.height = box.height;
        const pixels = context.createImageData(box.width, box.height);
        paint(
          new Uint32Array(pixels.data.buffer),
          planned === undefined ? [before, before] : [before, after],
          box,
          color,
        );
        context.putImageData(pixels, 0, 0);
      }
    }
    if (known.box !== undefined) screen.drawImage(canvas, known.box.left, known.box.top);
  };
}

type Box = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

function boxAround(masks: readonly MarkMask[]): Box | undefined {
  if (masks.length === 0) return undefined;
  const [left, top] = [Math.min(...masks.map((mask) => mask.left)), Math.min(...masks.map((mask) => mask.top))];
  return {
    left,
    top,
    width: Math.max(...masks.map((mask) => mask.left + mask.width)) - left,
    height: Math.max(...masks.map((mask) => mask.top + mask.height)) - top,
  };
}

function paint(
  pixels: Uint32Array,
  [before, after]: readonly (MarkMask | undefined)[],
  { left, top, width, height }: Box,
  [red, green, blue]: Color,
): void {
  const [old, now] = [before, after].map((mask) => {
    const bits = new Uint8Array(width * height);
    if (mask !== undefined) {
      decodeMask({ ...mask, left: mask.left - left, top: mask.top - top }, { bits, columns: width, rows: height });
    }
    return bits;
  });
  // As the bytes of a pixel lie in memory.
  const colors = new Uint32Array(Uint8Array.from(ALPHAS.flatMap((alpha) => [red, green, blue, alpha])).buffer);
  for (let at = 0; at < pixels.length; at += 1) {
    const [was, is] = [old![at]!, now![at]!];
    if (was + is === 0) continue;
    pixels[at] = colors[is === 0 ? REMOVED : was === 0 ? ADDED : KEPT]!;
  }
}
