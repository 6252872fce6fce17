import type { MarkPatch } from '../../../../shared/contract/marks.ts';
import { boxVolumeMl } from '../../../../shared/coverBox.ts';
import type { SampleOrigin } from '../../../show/pictures/loadedFrame.ts';
import type { ImagePlane, PlaneOrientation, Vector3 } from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import type { CutPlace, ShownGrid } from '../../../show/pictures/shownFrame.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import type { MeasureTool } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import type { RegionStatistics } from '../../../../shared/regionStatistics.ts';
import type { FrameScale } from '../../../../shared/pixelScale.ts';

/** What users say of a mark. */
export type MarkWords = Required<Pick<MarkPatch, 'label' | 'class' | 'text' | 'comment' | 'author' | 'locked'>>;

export const NO_WORDS: MarkWords = { label: '', class: null, text: '', comment: '', author: '', locked: false };

/** The frames of a stack that a shape goes through, and the outlines that were drawn on some of them. */
export type ThroughStack = {
  readonly from: FrameAddress;
  readonly to: FrameAddress;
  /** At least one. */
  readonly slices: readonly (FrameAddress & { readonly points: readonly Point[] })[];
};

/** Where a shape is. `seen` is there while it is on a screen, in the form that it has there. */
export type ShapePlace =
  /** On one stored frame. */
  | { readonly type: 'frame' }
  /** On a picture that is made of several frames. */
  | { readonly type: 'slide' }
  /** On a plane of the patient. Its file is one of the volume that the plane cuts. */
  | { readonly type: 'plane'; readonly grid: PatientGrid }
  /** On another picture, such as a rotating MIP. Only this tab keeps it. Its file has the header of the picture. */
  | { readonly type: 'cut'; readonly cut: CutPlace }
  /**
   * Through several frames. Its frame and points are those of the first drawn outline, or of the frame on the screen
   * (throughStack.ts).
   */
  | ({ readonly type: 'stack'; readonly seen?: SeenOutline } & ThroughStack)
  /** A 3-D box, which has points only where it is on a screen (boxInPatient.ts). */
  | { readonly type: 'volume'; readonly box: BoxInPatient; readonly seen?: SeenBox };

/** `isInterpolated`: its points were computed from the outlines before and after. */
type SeenOutline = { readonly isInterpolated: boolean; readonly volumeMl: number | undefined };

/** In the pixels of which plane its points are. `isFixed`: it can be selected there, but not changed. */
type SeenBox = { readonly plane: ImagePlane; readonly isFixed: boolean };

/** A measurement on a picture, in one run of the server. */
export type Measurement = FrameAddress & {
  /** Of the mark; what is only measured, such as the selected ROI, has the uid of nothing else. */
  readonly uid: string;
  readonly kind: MeasureTool;
  readonly place: ShapePlace;
  /** In pixels of its picture. Changed points are a new array. */
  readonly points: readonly Point[];
  readonly words: MarkWords;
  /** Undefined until it is known. */
  readonly scale: FrameScale | undefined;
  /** Values for these points; undefined until they are known, or if the kind has none. */
  readonly values: MeasuredValues | undefined;
};

export type MeasuredValues =
  | {
      readonly kind: 'numbers';
      readonly statistics: RegionStatistics;
      readonly unit: string;
      /** The mapping from stored values. */
      readonly origin: string;
      /** How the samples were made, if they are not stored ones. */
      readonly made?: SampleOrigin | undefined;
      /** The picture that they are of, if that is no stored frame. */
      readonly cutKey?: string | undefined;
    }
  /** Color has no single value; a single pixel has three. */
  | { readonly kind: 'color'; readonly rgb: readonly [number, number, number] | undefined }
  | {
      readonly kind: 'channels';
      readonly channels: readonly { readonly name: string; readonly statistics: RegionStatistics }[];
      readonly origin: string;
    }
  /** `isUnseen`: the image was not on screen, where they may be known. */
  | { readonly kind: 'none'; readonly reason: string; readonly origin?: string; readonly isUnseen?: true };

/** A box whose edges run along the row, the column and their cross product, from a corner, as long as `sizeMm` says. */
export type BoxInPatient = PlaneOrientation & {
  readonly frameOfReferenceUid: string;
  readonly corner: Vector3;
  readonly sizeMm: Vector3;
};

/** A picture on a screen. */
export type FramePlace = FrameAddress & {
  readonly cut?: CutPlace | undefined;
  readonly grid?: ShownGrid | undefined;
};

/** Whether a measurement that is neither on a plane nor a 3-D box is on this picture. */
export function isOnFrame({ fileIndex, frame, place }: Measurement, shown: FramePlace): boolean {
  if (place.type === 'plane' || place.type === 'volume') return false;
  const key = place.type === 'cut' ? place.cut.key : undefined;
  return fileIndex === shown.fileIndex && frame === shown.frame && key === shown.cut?.key;
}

export function isInterpolated({ place }: Measurement): boolean {
  return place.type === 'stack' && place.seen?.isInterpolated === true;
}

/** Whether it can be selected where it is on the screen, and not be changed there. */
export function isFixed({ place }: Measurement): boolean {
  return place.type === 'volume' && place.seen?.isFixed === true;
}

/** Undefined where it is not known, and for what has none. */
export function volumeOfShape({ place }: Measurement): number | undefined {
  if (place.type === 'volume') return boxVolumeMl(place.box.sizeMm);
  return place.type === 'stack' ? place.seen?.volumeMl : undefined;
}
