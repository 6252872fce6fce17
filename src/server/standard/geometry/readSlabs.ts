import type { DataSet } from '../dicom/dataSet.ts';
import type { Vector3 } from '../../../shared/geometry.ts';

const VOLUME_LOCALIZATION_SEQUENCE = 0x00189126;
const SLAB_THICKNESS = 0x00189104;
const SLAB_ORIENTATION = 0x00189105;
const MID_SLAB_POSITION = 0x00189106;
/** The elements that `readSlabs` reads. */
export const SLAB_TAGS: readonly number[] = [
  VOLUME_LOCALIZATION_SEQUENCE,
  SLAB_THICKNESS,
  SLAB_ORIENTATION,
  MID_SLAB_POSITION,
];

/** A slab that was excited: its normal and a point in its middle, in millimetres. */
export type ExcitedSlab = { readonly thicknessMm: number; readonly orientation: Vector3; readonly center: Vector3 };

const MOST_SLABS = 16;

/** The slabs of a spectroscopy that are described as a whole. PS3.3 C.8.14.1. */
export function readSlabs(dataSet: DataSet): ExcitedSlab[] {
  return dataSet
    .items(VOLUME_LOCALIZATION_SEQUENCE)
    .slice(0, MOST_SLABS)
    .flatMap((item) => {
      const thicknessMm = item.number(SLAB_THICKNESS);
      const orientation = toVector(item.numbers(SLAB_ORIENTATION, 3));
      const center = toVector(item.numbers(MID_SLAB_POSITION, 3));
      const isThick = thicknessMm !== undefined && thicknessMm > 0 && Number.isFinite(thicknessMm);
      return isThick && orientation !== undefined && center !== undefined ? [{ thicknessMm, orientation, center }] : [];
    });
}

function toVector([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 | undefined {
  return [x, y, z].every(Number.isFinite) ? [x, y, z] : undefined;
}
