import type { MarkPatch } from '../../../../shared/contract/marks.ts';
import type { SampleOrigin } from '../../../show/pictures/loadedFrame.ts';
import type { ImagePlane, PlaneOrientation, Vector3 } from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import type { CutPlace, ShownGrid } from '../../../show/pictures/shownFrame.ts';
import type { MeasureTool } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import type { RegionStatistics } from '../../../../shared/regionStatistics.ts';
import type { FrameScale } from '../../../../shared/pixelScale.ts';

/** What users say of a mark. */
export type MarkWords = Required<Pick<MarkPatch, 'label' | 'class' | 'text' | 'comment' | 'author' | 'locked'>>;

export const NO_WORDS: MarkWords = { label: '', class: null, text: '', comment: '', author: '', locked: false };

/** One stored frame. */
type FrameOfFile = { readonly fileIndex: number; readonly frame: number };

/** The frames of a stack that a shape goes through, and the outlines that were drawn on some of them. */
export type ThroughStack = {
  readonly from: FrameOfFile;
  readonly to: FrameOfFile;
  /** At least one. */
  readonly slices: readonly (FrameOfFile & { readonly points: readonly Point[] })[];
};

/** A measurement on one frame, in one run of the server. */
export type Measurement = {
  /** Of the mark; what is only measured, such as the selected ROI, has the uid of nothing else. */
  readonly uid: string;
  readonly kind: MeasureTool;
  readonly fileIndex: number;
  /** From 0. */
  readonly frame: number;
  /** In image pixels. Changed points are a new array. */
  readonly points: readonly Point[];
  /** Whether the points are pixels of a picture that is made of several frames. */
  readonly isWhole?: true | undefined;
  /**
   * Set if it is on a plane of the patient, in whose pixels its points are. The file is then one of the volume that the
   * plane cuts.
   */
  readonly onPlane?: PatientGrid | undefined;
  /** Set for a 3-D box. It has no points but where it is on a screen (boxInPatient.ts). */
  readonly box?: BoxInPatient | undefined;
  /** Of what is on a screen: the plane in which a box is seen, and in whose pixels its points are. */
  readonly seenIn?: ImagePlane | undefined;
  /** Of what is on a screen: it can be selected, but not changed there. */
  readonly isFixed?: true | undefined;
  /**
   * Set if it is on a picture that is neither a stored frame nor a plane, such as a rotating MIP. Only this tab keeps it.
   * The file is the one whose header applies to the picture.
   */
  readonly cut?: CutPlace | undefined;
  /**
   * Set if it goes through several frames of a stack. Its frame and points are then those of the first drawn outline, or,
   * while it is on a screen, those of the frame there (throughStack.ts).
   */
  readonly through?: ThroughStack | undefined;
  /** Of what is on a screen: its points were computed from the outlines before and after. */
  readonly isInterpolated?: true | undefined;
  /** Of a shape through a stack, where it is known. */
  readonly volumeMl?: number | undefined;
  /** Undefined until it is known. */
  readonly scale: FrameScale | undefined;
  readonly words?: MarkWords | undefined;
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
export type FramePlace = Pick<Measurement, 'fileIndex' | 'frame' | 'cut'> & { readonly grid?: ShownGrid | undefined };

/** Whether a measurement that is neither on a plane nor a 3-D box is on this picture. */
export function isOnFrame({ fileIndex, frame, cut, onPlane, box }: Measurement, place: FramePlace): boolean {
  if (onPlane !== undefined || box !== undefined) return false;
  return fileIndex === place.fileIndex && frame === place.frame && cut?.key === place.cut?.key;
}

/** Whether it is on one or more stored frames, or on a slide. */
export function isStored({ cut, onPlane, box }: Measurement): boolean {
  return cut === undefined && onPlane === undefined && box === undefined;
}
