import type { VolumeRefusalReason, VolumeTimeKind, VolumeWarningCode } from '../../../shared/contract/volumes.ts';
import type { DeclaredVoi } from '../../../shared/chooseVoi.ts';
import type { PlaneSpace } from '../../../shared/geometry.ts';
import type { PixelPadding } from '../../../shared/padding.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';

/** Frames of a stack that fill a volume, for one or several times. */
export type Volume = {
  /** The coordinate system of the positions. */
  readonly space: PlaneSpace;
  readonly frameOfReferenceUid: string | undefined;
  readonly table: PositionTable;
  readonly tiltDegrees: number;
  /** At least one. */
  readonly times: readonly VolumeTime[];
  /** The frame of each time and place, at `time * places + place`. */
  readonly fileIndices: Uint32Array;
  readonly frameIndices: Uint32Array;
  /** Only if slices are parts of frames. */
  readonly crops?: SliceCrops | undefined;
  readonly sample: VolumeSample;
  readonly warnings: readonly VolumeWarning[];
};

/** Where slices begin in the frames that they are parts of, in the order of the frames. */
export type SliceCrops = { readonly tops: Uint32Array<ArrayBuffer>; readonly lefts: Uint32Array<ArrayBuffer> };

export function cropOf(
  crops: SliceCrops | undefined,
  at: number,
): { readonly top: number; readonly left: number } | undefined {
  return crops && { top: crops.tops[at]!, left: crops.lefts[at]! };
}

/** The first time that has a frame of a file, or one frame of it; 0 if none has. */
export function timeOfFrame(
  { table, fileIndices, frameIndices }: Pick<Volume, 'table' | 'fileIndices' | 'frameIndices'>,
  { fileIndex, frame }: { readonly fileIndex: number; readonly frame?: number | undefined },
): number {
  const isOfFrame = (index: number, at: number) =>
    index === fileIndex && (frame === undefined || frameIndices[at] === frame);
  return Math.max(0, Math.floor(fileIndices.findIndex(isOfFrame) / table.positionsMm.length));
}

/** Rows and columns of a brick of packed slices. A plane unpacks the bricks that it passes through. */
export const BRICK_SIDE = 32;

/** Consecutive places, ends included. */
export type PlaceRange = { readonly first: number; readonly last: number };

/**
 * A part of consecutive slices: equally many rows and columns of each of them. They may begin elsewhere in each slice, so
 * that the part follows a plane that crosses the slices at an angle.
 */
export type VolumeBox = {
  readonly places: PlaceRange;
  readonly rows: number;
  readonly columns: number;
  /** The first row and column in each slice, in the order of the places. */
  readonly tops: Uint32Array;
  readonly lefts: Uint32Array;
};

/** A part of a plane or slab: rows, columns and sheets, ends included. */
export type PlanePart = { readonly rows: PlaceRange; readonly columns: PlaceRange; readonly sheets: PlaceRange };

/** A part of a plane with what it needs of the volume. */
export type PlacedPart = { readonly part: PlanePart; readonly box: VolumeBox };

/** Where the slices of a volume lie. */
export type VolumePlaces = Pick<Volume, 'frameOfReferenceUid' | 'table' | 'fileIndices' | 'frameIndices'>;

/** What positions alone say; the headers of the files may still refuse it. */
export type PlacedVolume =
  | { readonly places: VolumePlaces; readonly refusal: undefined }
  | { readonly places: undefined; readonly refusal: VolumeRefusal };

export type VolumeTime = {
  /** Empty if there is only one. */
  readonly label: string;
  readonly kind: VolumeTimeKind;
  readonly value: number | undefined;
  readonly unit: string | undefined;
};

/** The type of the samples in memory. */
export type SampleStorage = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32' | 'float64';

export type VolumeSample = {
  readonly storage: SampleStorage;
  /** Whether the samples in memory are modality values, because the stored ones have no common type or rescale. */
  readonly isModality: boolean;
  readonly bitsStored: number;
  readonly photometricInterpretation: string;
  /** The rescale of all frames; undefined if it differs. */
  readonly rescale: Rescale | undefined;
  /** Only if the rescale differs: slope and intercept of each frame, in the order of the frames. */
  readonly rescales: { readonly slopes: Float64Array; readonly intercepts: Float64Array } | undefined;
  readonly unit: string;
  /** The padding of all frames; undefined if there is none or if it differs. */
  readonly padding: PixelPadding | undefined;
  /** Only if the padding differs: its bounds for each frame; NaN for none. */
  readonly paddings: { readonly lows: Float64Array; readonly highs: Float64Array } | undefined;
  /** Of the slice in the middle. */
  readonly voi: DeclaredVoi;
  /** Of a PET: SUV of one unit of modality value, if it is known. */
  readonly suvFactor?: number | undefined;
};

export type Rescale = { readonly slope: number; readonly intercept: number };

export type VolumeWarning = {
  readonly code: VolumeWarningCode;
  readonly message: string;
  /** The files concerned, ascending. */
  readonly fileIndices: readonly number[];
};

/** Why a stack is no volume. */
export type VolumeRefusal = { readonly reason: VolumeRefusalReason; readonly message: string };

export type DescribedVolume =
  | { readonly volume: Volume; readonly refusal: undefined }
  | { readonly volume: undefined; readonly refusal: VolumeRefusal };

export function refuse(reason: VolumeRefusalReason, message: string): { readonly refusal: VolumeRefusal } {
  return { refusal: { reason, message } };
}
