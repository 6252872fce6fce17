import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { CT_SLICE_MM, type CtSlice } from './ct.ts';
import { referencedSeries } from './references.ts';
import { SEGMENTATION_STORAGE, type SegmentFrame, segmentationElements } from './segmentation.ts';
import { bitOf, type Box, boxOf, LEFT_LUNG, LIVER, LIVER_LESIONS, RIGHT_LUNG, type Structure } from './structures.ts';
import { DEMO_SERIES, instanceUid } from './studyElements.ts';

export const ORGANS = { sopClassUid: SEGMENTATION_STORAGE, sopInstanceUid: instanceUid(DEMO_SERIES.organs, 1) };

const SEGMENTS = [LIVER, LIVER_LESIONS, RIGHT_LUNG, LEFT_LUNG];

/** Reports refer to segments by their numbers. */
export function segmentNumberOf(structure: Structure): number {
  return SEGMENTS.indexOf(structure) + 1;
}

/** One frame per segment and slice that it occurs on, one bit per pixel. */
export function binarySegmentation(slices: readonly CtSlice[]): DataSetInput {
  const segmented = slices.flatMap((slice, position) => segmentSlice(slice, position));
  const inOrder = segmented.toSorted((a, b) => a.frame.segmentNumber - b.frame.segmentNumber);
  const frames = inOrder.map(({ frame }) => frame);
  return {
    ...segmentationElements({
      series: DEMO_SERIES.organs,
      label: 'ORGANS',
      structures: SEGMENTS,
      frames,
      sliceMm: CT_SLICE_MM,
    }),
    ...referencedSeries(DEMO_SERIES.ct, slices),
    BitsAllocated: 1,
    BitsStored: 1,
    HighBit: 0,
    SegmentationType: 'BINARY',
    PixelData: { vr: 'OB', value: Buffer.concat(inOrder.map(({ pixels }) => pixels)) },
  };
}

function segmentSlice(slice: CtSlice, position: number): { frame: SegmentFrame; pixels: Uint8Array }[] {
  return SEGMENTS.flatMap((structure, index) => {
    const box = boxOf(bitOf(structure), slice.membership);
    if (box === undefined) return [];
    const frame = { segmentNumber: index + 1, position, plane: slice.plane, source: slice };
    return [{ frame, pixels: packBits(slice, bitOf(structure), box) }];
  });
}

/** Eight pixels per byte, starting with the lowest bit. PS3.5 8.1.1. */
function packBits({ plane, membership }: CtSlice, bit: number, box: Box): Uint8Array {
  const { bits } = membership;
  const packed = new Uint8Array(bits.length / 8);
  for (let row = box.top; row <= box.bottom; row++) {
    for (let i = row * plane.columns + box.left; i <= row * plane.columns + box.right; i++) {
      if ((bits[i]! & bit) !== 0) packed[i >> 3]! |= 1 << (i & 7);
    }
  }
  return packed;
}
