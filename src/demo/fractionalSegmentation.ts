import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { DIFFUSION, DIFFUSION_SIZE, DIFFUSION_SLICE_MM, type DiffusionFrame } from './enhancedMr.ts';
import { referencedSeries } from './references.ts';
import { type SegmentFrame, segmentationElements } from './segmentation.ts';
import { smooth } from './smooth.ts';
import { bitOf, boxOf, LIVER, LIVER_LESIONS, membershipOf } from './structures.ts';
import { DEMO_SERIES } from './studyElements.ts';

const STRUCTURES = [LIVER, LIVER_LESIONS];
const MAXIMUM = 255;
/** Number of smoothing passes. Each widens the uncertain edge by about a pixel. */
const PASSES = 3;

/** The probability that each pixel of the diffusion images is liver, or lesion. */
export function fractionalSegmentation(diffusion: readonly DiffusionFrame[]): DataSetInput {
  const slices = diffusion
    .filter(({ bValue }) => bValue === diffusion[0]!.bValue)
    .toSorted((a, b) => a.position - b.position);
  const memberships = slices.map(membershipOf);
  const frames: SegmentFrame[] = [];
  const pixels: Uint8Array[] = [];
  for (const [index, structure] of STRUCTURES.entries()) {
    const bit = bitOf(structure);
    for (const [at, slice] of slices.entries()) {
      const membership = memberships[at]!;
      if (boxOf(bit, membership) === undefined) continue;
      const source = { ...DIFFUSION, frameNumbers: [slice.frameNumber] };
      frames.push({ segmentNumber: index + 1, position: slice.position, plane: slice.plane, source });
      pixels.push(probability(membership.bits, bit));
    }
  }
  return {
    ...segmentationElements({
      series: DEMO_SERIES.probability,
      label: 'PROBABILITY',
      structures: STRUCTURES,
      frames,
      sliceMm: DIFFUSION_SLICE_MM,
    }),
    ...referencedSeries(DEMO_SERIES.diffusion, [DIFFUSION]),
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    SegmentationType: 'FRACTIONAL',
    SegmentationFractionalType: 'PROBABILITY',
    MaximumFractionalValue: MAXIMUM,
    PixelData: { vr: 'OB', value: Buffer.concat(pixels) },
  };
}

function probability(bits: Uint16Array, bit: number): Uint8Array {
  const values = new Float32Array(bits.length);
  for (let i = 0; i < values.length; i++) values[i] = (bits[i]! & bit) === 0 ? 0 : MAXIMUM;
  for (let pass = 0; pass < PASSES; pass++) smooth(values, DIFFUSION_SIZE);
  return new Uint8Array(values);
}
