import { findOverlayFrame, type OverlayPlane, unpackOverlay } from '../../../../shared/overlayPlane.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { wordBytes } from './valueBytes.ts';

export type FrameOverlay = {
  /** 0x6000 to 0x601E. */
  readonly group: number;
  readonly plane: OverlayPlane;
};

/** An overlay stored in a bit of the pixel words that is not used by the samples. It has the size of the image. */
export type EmbeddedOverlay = { readonly group: number; readonly bit: number };

export type Overlays = { readonly packed: readonly FrameOverlay[]; readonly embedded: readonly EmbeddedOverlay[] };

const GROUPS = Array.from({ length: 16 }, (_, i) => 0x6000 + i * 2);

/**
 * An overlay takes one byte per pixel. It is ignored if it exceeds both this size and MOST_TIMES_IMAGE times the image.
 */
const LARGE_OVERLAY = 2 ** 20;
const MOST_TIMES_IMAGE = 4;

export function readOverlays(dataSet: DataSet, pixel: ImagePixel, frame: number): Overlays {
  const packed: FrameOverlay[] = [];
  const embedded: EmbeddedOverlay[] = [];
  const mostPixels = Math.max(LARGE_OVERLAY, MOST_TIMES_IMAGE * pixel.rows * pixel.columns);
  for (const group of GROUPS) {
    const tagOf = (first: number) => (group * 0x10000 + (first & 0xffff)) >>> 0;
    if (dataSet.has(tagOf(Tag.OverlayData))) {
      const plane = readPlane(dataSet, tagOf, { frame, mostPixels });
      if (plane !== undefined) packed.push({ group, plane: { ...plane, group } });
    } else {
      const bit = dataSet.number(tagOf(Tag.OverlayBitPosition));
      if (bit !== undefined && isOutsideSamples(bit, pixel)) embedded.push({ group, bit });
    }
  }
  return { packed, embedded };
}

function readPlane(
  dataSet: DataSet,
  tagOf: (first: number) => number,
  { frame, mostPixels }: { readonly frame: number; readonly mostPixels: number },
): OverlayPlane | undefined {
  const rows = dataSet.number(tagOf(Tag.OverlayRows)) ?? 0;
  const columns = dataSet.number(tagOf(Tag.OverlayColumns)) ?? 0;
  const frames = dataSet.number(tagOf(Tag.NumberOfFramesInOverlay));
  const overlayFrame = findOverlayFrame(frame, frames, dataSet.number(tagOf(Tag.ImageFrameOrigin)));
  const pixels = rows * columns;
  if (overlayFrame === undefined || rows < 1 || columns < 1 || pixels > mostPixels) return undefined;
  const data = wordBytes(dataSet, tagOf(Tag.OverlayData), 2 * Math.ceil(((overlayFrame + 1) * pixels) / 16));
  if (data === undefined) return undefined;
  const [row = 1, column = 1] = dataSet.numbers(tagOf(Tag.OverlayOrigin), 2);
  return { rows, columns, origin: [row, column], mask: unpackOverlay(data, pixels, overlayFrame) };
}

/** If an overlay has no data at all, its Bit Position 0 would make the lowest bit of the samples an overlay. */
function isOutsideSamples(bit: number, { highBit, bitsStored, bitsAllocated, samplesPerPixel }: ImagePixel): boolean {
  return samplesPerPixel === 1 && bit < bitsAllocated && (bit > highBit || bit <= highBit - bitsStored);
}
