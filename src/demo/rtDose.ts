import type { DataSetInput } from '../server/dicom/writeDicom.ts';
import { LESIONS } from './anatomy/organs.ts';
import { CT_SLICE_MM, CT_SPACING_MM, type CtSlice } from './ct.ts';
import * as Tag from '../server/dicom/tag.ts';
import { grayPixels, wordPixels } from './pixelElements.ts';
import { instanceReference } from './references.ts';
import { PLAN_INSTANCE_UID, RT_PLAN_STORAGE } from './rtPlan.ts';
import { RT_STRUCTURE_SET_STORAGE, STRUCTURE_SET_INSTANCE_UID } from './rtStructureSet.ts';
import { bitOf, BODY } from './structures.ts';
import { commonElements, frameOfReference, type Series } from './studyElements.ts';

const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';
export const DOSE_SERIES: Series = {
  number: 11,
  modality: 'RTDOSE',
  description: 'Dose of five fields',
  time: '105000',
};

/** The grid takes every fourth pixel of every slice, in the part of the slices that holds the body. */
const STRIDE = 4;
const FIRST_ROW = 100;
const FIRST_COLUMN = 24;
const ROWS = 80;
const COLUMNS = 116;

const PRESCRIBED_GY = 50;
/** Gray of one stored step: fine enough that 32 bits are needed. */
const DOSE_GRID_SCALING = 2e-8;

const GANTRY_DEGREES = [205, 245, 285, 325, 20];
const HALF_FIELD_MM = 25;
const PENUMBRA_MM = 2.6;
/** Part of a beam that a millimetre of the body takes away. */
const ATTENUATION = 0.0042;

export function rtDose(slices: readonly CtSlice[]): DataSetInput {
  const { origin, along, down } = slices[0]!.plane;
  const stored = new Uint32Array(slices.length * ROWS * COLUMNS);
  for (const [frame, slice] of slices.entries()) fillDoseFrame(stored, { frame, slice });
  return {
    ...commonElements(DOSE_SERIES, RT_DOSE_STORAGE, 1),
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
    ReferencedRTPlanSequence: [instanceReference({ sopClassUid: RT_PLAN_STORAGE, sopInstanceUid: PLAN_INSTANCE_UID })],
    ReferencedStructureSetSequence: [
      instanceReference({ sopClassUid: RT_STRUCTURE_SET_STORAGE, sopInstanceUid: STRUCTURE_SET_INSTANCE_UID }),
    ],
    PixelData: wordPixels(stored),
  };
}

function fillDoseFrame(stored: Uint32Array, { frame, slice }: { frame: number; slice: CtSlice }): void {
  const { plane, membership } = slice;
  const body = bitOf(BODY);
  const [isoX, isoY, isoZ] = LESIONS[0].center;
  const slab = penumbra(plane.origin[2] - isoZ);
  if (slab < 2e-3) return;
  const beams = GANTRY_DEGREES.map((degrees) => ({
    // At gantry 0 the beam comes from the front; the gantry turns toward the patient's left.
    x: -Math.sin((degrees * Math.PI) / 180),
    y: Math.cos((degrees * Math.PI) / 180),
  }));
  for (let row = 0; row < ROWS; row++) {
    const y = plane.origin[1] + (FIRST_ROW + row * STRIDE) * CT_SPACING_MM - isoY;
    for (let column = 0; column < COLUMNS; column++) {
      const pixel = (FIRST_ROW + row * STRIDE) * plane.columns + FIRST_COLUMN + column * STRIDE;
      if ((membership.bits[pixel]! & body) === 0) continue;
      const x = plane.origin[0] + (FIRST_COLUMN + column * STRIDE) * CT_SPACING_MM - isoX;
      let dose = 0;
      for (const beam of beams) {
        const forward = x * beam.x + y * beam.y;
        dose += penumbra(x * beam.y - y * beam.x) * Math.exp(-ATTENUATION * forward);
      }
      // The last term is what scatters beyond the fields.
      const scattered = 0.03 * Math.exp(-(x * x + y * y) / 9000);
      const gray = PRESCRIBED_GY * slab * (dose / beams.length + scattered);
      stored[(frame * ROWS + row) * COLUMNS + column] = Math.round(gray / DOSE_GRID_SCALING);
    }
  }
}

/** Near 1 inside the field, near 0 outside, a half on its edge. */
function penumbra(offAxisMm: number): number {
  const outside = (Math.abs(offAxisMm) - HALF_FIELD_MM) / PENUMBRA_MM;
  return 0.5 - (0.5 * outside) / Math.sqrt(1 + outside * outside);
}
