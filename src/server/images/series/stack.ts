import type { StackKind, StackWarningCode } from '../../../shared/contract/series.ts';
import type { PlaneOrientation } from '../../../shared/geometry.ts';
import type { FrameTraits } from './frameTraits.ts';

/** Images in the order in which the user scrolls through them. */
export type Stack = {
  /** Made of UIDs: the same on every run, and throughout the scan. */
  readonly id: string;
  readonly kind: StackKind;
  readonly concatenationUid: string | undefined;
  readonly pyramidUid: string | undefined;
  readonly imageTypeRole: string | undefined;
  readonly totalPixelMatrixRows: number | undefined;
  readonly totalPixelMatrixColumns: number | undefined;
  readonly frames: StackFrames;
  readonly warnings: readonly StackWarning[];
  /** Only for files with several frames that have been read. */
  readonly ofFrames: OfFrames | undefined;
};

/** Properties that come from the frames of a stack and not from the headers of its files. */
export type OfFrames = {
  readonly traits: FrameTraits | undefined;
  /** The distinct orientations of each file. */
  readonly orientations: readonly PlaneOrientation[];
};

/** The frames of a stack as columns: one object per frame would take most of the memory of a large study. */
export type StackFrames = {
  readonly length: number;
  readonly fileIndices: ArrayLike<number> & Iterable<number>;
  readonly frameIndices: ArrayLike<number>;
  /** NaN for a frame without a position. */
  readonly positionsMm: ArrayLike<number>;
};

export type StackWarning = {
  readonly code: StackWarningCode;
  readonly message: string;
  /** The files concerned, ascending. */
  readonly fileIndices: readonly number[];
};

export type Series = {
  readonly id: string;
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly frameOfReferenceUids: readonly string[];
  readonly stacks: readonly Stack[];
};
