import type { Matrix, Size } from '../../kit/state/viewState.ts';
import { invertMatrix } from './viewTransform.ts';

/**
 * The sample under each pixel of a canvas. Views turn only by quarters, so the index of the sample in the frame is the
 * sum of one offset for the pixel's column and one for its row; -1 is outside the frame.
 */
export type SampleGrid = { readonly offsetsAcross: Int32Array; readonly offsetsDown: Int32Array };

export function buildSampleGrid(imageToCanvas: Matrix, image: Size, canvas: Size): SampleGrid {
  const [a, b, c, d, e, f] = invertMatrix(imageToCanvas);
  // A quarter turn places the image's columns along the height of the canvas.
  const isTurned = Math.abs(b) > Math.abs(a);
  const columns = isTurned ? { step: c, start: e } : { step: a, start: e };
  const rows = isTurned ? { step: b, start: f } : { step: d, start: f };
  const columnOffsets = offsetsAlong(isTurned ? canvas.height : canvas.width, { ...columns, limit: image.width });
  const rowOffsets = offsetsAlong(isTurned ? canvas.width : canvas.height, { ...rows, limit: image.height });
  for (let i = 0; i < rowOffsets.length; i++) if (rowOffsets[i]! > 0) rowOffsets[i]! *= image.width;
  return isTurned
    ? { offsetsAcross: rowOffsets, offsetsDown: columnOffsets }
    : { offsetsAcross: columnOffsets, offsetsDown: rowOffsets };
}

function offsetsAlong(
  length: number,
  { step, start, limit }: { step: number; start: number; limit: number },
): Int32Array {
  const offsets = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    // The center of the pixel decides.
    const index = Math.floor((i + 0.5) * step + start);
    offsets[i] = index >= 0 && index < limit ? index : -1;
  }
  return offsets;
}
