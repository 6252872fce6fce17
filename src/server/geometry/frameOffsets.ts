import { normalOf, type PlaneOrientation, type Vector3 } from '../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import * as Tag from '../dicom/tag.ts';
import { checkNumbers, readOrientation, readPosition } from './framePlace.ts';

/** Planes that an object places by a list of offsets from its first one. */
export type OffsetPlanes = {
  /** As written; the same for all frames. */
  readonly orientation: readonly number[];
  /** Undefined for a frame without an offset. */
  pointOf(frame: number): Vector3 | undefined;
};

export type DosePlanes = OffsetPlanes & {
  /** The offsets begin neither with 0 nor with the height of the grid. */
  readonly isDoubtful: boolean;
  readonly offsetCount: number;
};

/** Writers round heights and positions apart from each other. */
const SAME_HEIGHT_MM = 0.01;
/** Components beside the patient's axes that are rounding. */
const AXIAL_TOLERANCE = 1e-3;

/**
 * The planes of a dose grid. PS3.3 C.8.8.3.2: offsets that begin with 0 run along the normal from Image Position; offsets
 * that begin with its z coordinate are z coordinates themselves, which only an axial grid can have. Others are not
 * defined: those of an axial grid are taken as heights with a doubt, and of any other only the first plane is known.
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
 * The slices of an NM reconstruction. PS3.3 C.8.4.15: from the first slice, which Detector Information places, they lie
 * along the normal, against it where Spacing Between Slices is negative. Projections have no plane in the patient.
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
      // Slices count from 1. A reconstruction of one slice needs no distance.
      const step = (slices[frame] ?? (frame === 0 ? 1 : NaN)) - 1;
      const offset = step === 0 ? 0 : step * (spacingMm ?? NaN);
      const isPlaced = Number.isFinite(offset) && Number.isFinite(x);
      return isPlaced ? [x + nx * offset, y + ny * offset, z + nz * offset] : undefined;
    },
  };
}

type Orient = (written: readonly number[]) => PlaneOrientation | undefined;
