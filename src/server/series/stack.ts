import type { StackKind, StackWarningCode } from '../../shared/contract/series.ts';
import type { PlaneOrientation } from '../../shared/geometry.ts';
import type { FrameTraits } from './frameTraits.ts';

/** Images in the order in which they are looked through. */
export type Stack = {
  /** Made of UIDs: the same on every run, and while the scan goes on. */
  readonly id: string;
  readonly kind: StackKind;
  readonly concatenationUid: string | undefined;
  readonly pyramidUid: string | undefined;
  readonly imageTypeRole: string | undefined;
  readonly totalPixelMatrixRows: number | undefined;
  readonly totalPixelMatrixColumns: number | undefined;
  readonly frames: StackFrames;
  readonly warnings: readonly StackWarning[];
  /** Of files with several frames, as far as these have been read. */
  readonly ofFrames: OfFrames | undefined;
};

/** What the frames of a stack tell, where the headers of its files do not. */
export type OfFrames = {
  readonly traits: FrameTraits | undefined;
  /** Each of them once. */
  readonly orientations: readonly PlaneOrientation[];
};

/** The frames of a stack in columns: an object for each would be most of the memory of a large study. */
export type StackFrames = {
  readonly length: number;
  readonly fileIndices: ArrayLike<number>;
  readonly frameIndices: ArrayLike<number>;
  /** NaN where a frame has no place in space. */
  readonly positionsMm: ArrayLike<number>;
};

export type StackWarning = {
  readonly code: StackWarningCode;
  readonly message: string;
  /** The files that it is about, ascending. */
  readonly fileIndices: readonly number[];
};

export type Series = {
  readonly id: string;
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly frameOfReferenceUids: readonly string[];
  readonly stacks: readonly Stack[];
};
