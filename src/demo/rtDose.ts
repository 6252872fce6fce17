import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import type { Plane } from './anatomy/plane.ts';
import { CT_SLICE_MM, CT_SPACING_MM, type CtSlice } from './ct.ts';
import * as Tag from '../server/standard/dicom/tag.ts';
import { GANTRY_DEGREES, ISOCENTER, penumbra, PRESCRIBED_GY, SCATTERED } from './fields.ts';
import { grayPixels, wordPixels } from './pixelElements.ts';
import { instanceReference } from './references.ts';
import { PLAN } from './rtPlan.ts';
import { STRUCTURE_SET } from './rtStructureSet.ts';
import { bitOf, BODY } from './structures.ts';
import { DEMO_SERIES, commonElements, frameOfReference } from './studyElements.ts';

const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';
/** The grid uses every fourth pixel of every slice, in the part of the slices that contains the body. */
const STRIDE = 4;
const FIRST_ROW = 100;
const FIRST_COLUMN = 24;
const ROWS = 80;
const COLUMNS = 116;

/** Gray per stored step: fine enough that 32 bits are needed. */
const DOSE_GRID_SCALING = 2e-8;

/** Directions of the beams. */
const BEAMS = GANTRY_DEGREES.map((degrees) => ({
  x: -Math.sin((degrees * Math.PI) / 180),
  y: Math.cos((degrees * Math.PI) / 180),
}));
/** Fraction of a beam that is absorbed per millimetre of the body. */
const ATTENUATION = 0.0042;

export function rtDose(slices: readonly CtSlice[]): DataSetInput {
  const { origin, along, down } = slices[0]!.plane;
  const stored = new Uint32Array(slices.length * ROWS * COLUMNS);
  const inPlane = createDosePlane(slices[0]!.plane);
  for (const [frame, slice] of slices.entries()) fillDoseFrame(stored, { frame, slice, inPlane });
  return {
    ...commonElements(DEMO_SERIES.dose, RT_DOSE_STORAGE, 1),
    ...frameOfReference(),
    ...grayPixels({ rows: ROWS, columns: COLUMNS, bitsAllocated: 32, bitsStored: 32, signed: false }),
    OperatorsName: '',
    ImageType: ['DERIVED', 'PRIMARY', 'AXIAL'],
    SliceThickness: CT_SLICE_MM,
    ImagePositionPatient: [origin[0] + FIRST_COLUMN * CT_SPACING_MM, origin[1] + FIRST_ROW * CT_SPACING_MM, origin[2]],
    ImageOrientationPatient: [...along, ...down],
    PixelSpacing: [STRIDE * CT_SPACING_MM, STRIDE * CT_SPACING_MM],
    NumberOfFrames: slices.length,
    FrameIncrementPointer: Tag.GridFrameOffsetVector,
    DoseUnits: 'GY',
    DoseType: 'PHYSICAL',
    DoseSummationType: 'PLAN',
    GridFrameOffsetVector: slices.map((_, frame) => frame * CT_SLICE_MM),
    DoseGridScaling: DOSE_GRID_SCALING,
    TissueHeterogeneityCorrection: 'IMAGE',
    ReferencedRTPlanSequence: [instanceReference(PLAN)],
    ReferencedStructureSetSequence: [instanceReference(STRUCTURE_SET)],
    PixelData: wordPixels(stored),
  };
}

/** The beams are parallel to the slices, so only the strength differs between slices. */
function fillDoseFrame(
  stored: Uint32Array,
  { frame, slice, inPlane }: { frame: number; slice: CtSlice; inPlane: Float64Array },
): void {
  const { plane, membership } = slice;
  const slab = penumbra(plane.origin[2] - ISOCENTER[2]);
  if (slab < 2e-3) return;
  const body = bitOf(BODY);
  for (let i = 0; i < inPlane.length; i++) {
    const row = FIRST_ROW + Math.floor(i / COLUMNS) * STRIDE;
    const column = FIRST_COLUMN + (i % COLUMNS) * STRIDE;
    if ((membership.bits[row * plane.columns + column]! & body) === 0) continue;
    stored[frame * inPlane.length + i] = Math.round((slab * inPlane[i]!) / DOSE_GRID_SCALING);
  }
}

function createDosePlane({ origin }: Plane): Float64Array {
  return Float64Array.from({ length: ROWS * COLUMNS }, (_, i) => {
    const x = origin[0] + (FIRST_COLUMN + (i % COLUMNS) * STRIDE) * CT_SPACING_MM - ISOCENTER[0];
    const y = origin[1] + (FIRST_ROW + Math.floor(i / COLUMNS) * STRIDE) * CT_SPACING_MM - ISOCENTER[1];
    return doseInPlane(x, y);
  });
}

/** Dose in Gray at an offset from the isocenter, in the slice of the isocenter. */
function doseInPlane(x: number, y: number): number {
  let dose = 0;
  for (const beam of BEAMS) {
    const forward = x * beam.x + y * beam.y;
    dose += penumbra(x * beam.y - y * beam.x) * Math.exp(-ATTENUATION * forward);
  }
  const scattered = SCATTERED * Math.exp(-(x * x + y * y) / 9000);
  return PRESCRIBED_GY * (dose / BEAMS.length + scattered);
}
