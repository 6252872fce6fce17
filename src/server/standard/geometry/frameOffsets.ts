import { normalOf, type PlaneOrientation, type Vector3 } from '../../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import * as Tag from '../dicom/tag.ts';
import { checkNumbers, readOrientation, readPosition } from './framePlace.ts';

/** Planes that are given by a list of offsets from the first one. */
export type OffsetPlanes = {
  /** As written; the same for all frames. */
  readonly orientation: readonly number[];
  /** Undefined for a frame whose position is unknown. */
  pointOf(frame: number): Vector3 | undefined;
};

export type DosePlanes = OffsetPlanes & {
  /** The offsets begin neither with 0 nor with the z coordinate of the grid. */
  readonly isDoubtful: boolean;
  readonly offsetCount: number;
};

/** Tolerance, because writers round heights and positions independently. */
const SAME_HEIGHT_MM = 0.01;
/** Deviation from the patient's axes that is attributed to rounding. */
const AXIAL_TOLERANCE = 1e-3;

/**
 * The planes of a dose grid. PS3.3 C.8.8.3.2: offsets that begin with 0 run along the normal from Image Position;
 * offsets that begin with its z coordinate are z coordinates themselves, which is possible only for an axial grid.
 * Other offsets are undefined and marked as doubtful: for an axial grid they are taken as z coordinates; for any other
 * grid only the first plane is known.
 */
export function findDosePlanes(
  dataSet: Attributes,
  { frameCount, orient }: { readonly frameCount: number; readonly orient: Orient },
): DosePlanes | undefined {
  const offsets = dataSet.numbers(Tag.GridFrameOffsetVector, frameCount);
  const written = readOrientation(dataSet);
  const orientation = orient(written);
  const origin = checkNumbers(readPosition(dataSet), 3);
  if (offsets.length === 0 || orientation === undefined || origin === undefined) return undefined;
  const [x = NaN, y = NaN, z = NaN] = origin;
  const [nx, ny, nz] = normalOf(orientation);
  const [first = NaN] = offsets;
  const isRelative = first === 0;
  const isAxial = Math.abs(nz) >= 1 - AXIAL_TOLERANCE;

  return {
    orientation: written,
    isDoubtful: !isRelative && !(isAxial && Math.abs(first - z) <= SAME_HEIGHT_MM),
    offsetCount: offsets.length,
    pointOf(frame) {
      const offset = offsets[frame];
      if (offset === undefined || !Number.isFinite(offset)) return undefined;
      if (isRelative) return [x + nx * offset, y + ny * offset, z + nz * offset];
      if (isAxial) return [x, y, offset];
      return frame === 0 ? [x, y, z] : undefined;
    },
  };
}

/**
 * The slices of an NM reconstruction. PS3.3 C.8.4.15: Detector Information gives the position of the first slice; the
 * others follow along the normal, or against it if Spacing Between Slices is negative. Projections have no plane in the
 * patient.
 */
export function findReconstructedSlices(
  dataSet: Attributes,
  { frameCount, orient }: { readonly frameCount: number; readonly orient: Orient },
): OffsetPlanes | undefined {
  const detector = dataSet.items(Tag.DetectorInformationSequence)[0];
  const kind = dataSet.strings(Tag.ImageType, MOST_VALUES.imageType)[2] ?? '';
  if (detector === undefined || !kind.startsWith('RECON')) return undefined;
  const written = readOrientation(detector);
  const orientation = orient(written);
  const origin = checkNumbers(readPosition(detector), 3);
  if (orientation === undefined) return undefined;
  const [x = NaN, y = NaN, z = NaN] = origin ?? [];
  const [nx, ny, nz] = normalOf(orientation);
  const slices = dataSet.numbers(Tag.SliceVector, frameCount);
  const spacingMm = dataSet.number(Tag.SpacingBetweenSlices);

  return {
    orientation: written,
    pointOf(frame) {
      // Slice numbers start at 1. A reconstruction with one slice needs no spacing.
      const step = (slices[frame] ?? (frame === 0 ? 1 : NaN)) - 1;
      const offset = step === 0 ? 0 : step * (spacingMm ?? NaN);
      const isPlaced = Number.isFinite(offset) && Number.isFinite(x);
      return isPlaced ? [x + nx * offset, y + ny * offset, z + nz * offset] : undefined;
    },
  };
}

type Orient = (written: readonly number[]) => PlaneOrientation | undefined;
