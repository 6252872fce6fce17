import type { Code } from '../../../../shared/contract/semantics.ts';
import type { Ragged } from '../../../images/references/ragged.ts';
import { bytesOfGeometry, type FrameGeometry } from '../../../standard/geometry/frameGeometry.ts';
import type { SliceSpacing } from '../../../standard/geometry/sliceSpacing.ts';

/** The content of a segmentation, without its pixels. */
export type SegmentationRecord = {
  /** BINARY, FRACTIONAL or LABELMAP. */
  readonly segmentationType: string | undefined;
  readonly fractionalType: string | undefined;
  readonly maximumFractionalValue: number | undefined;
  /** Label maps only: samples of this value belong to no segment. */
  readonly pixelPaddingValue: number | undefined;
  readonly segments: readonly SegmentDescription[];
  readonly rows: number;
  readonly columns: number;
  readonly frames: SegmentationFrames;
  readonly warnings: readonly string[];
};

export type SegmentDescription = {
  readonly number: number;
  readonly label: string | undefined;
  readonly description: string | undefined;
  readonly propertyCategory: Code | undefined;
  readonly propertyType: Code | undefined;
  readonly algorithmType: string | undefined;
  readonly algorithmName: string | undefined;
  readonly recommendedCielab: readonly [number, number, number] | undefined;
  readonly recommendedGrayscale: number | undefined;
};

/** The frames as columns: there can be tens of thousands. */
export type SegmentationFrames = {
  readonly length: number;
  /** -1 if a frame names no segment, as in a label map. */
  readonly segmentNumbers: Int32Array;
  readonly geometry: FrameGeometry;
  readonly sliceSpacing: SliceSpacing;
  /** For each frame the rows of `sources` from which it was derived. */
  readonly derivedFrom: Ragged;
  readonly sources: SourceTable;
  /** Instances from which the object as a whole was made: Source Image Sequence and Referenced Series. */
  readonly declaredUids: readonly string[];
  /** Series that are named without an instance. */
  readonly declaredSeriesUids: readonly string[];
};

/** The distinct Source Image items, one per row. */
export type SourceTable = {
  readonly uids: readonly string[];
  /** Index into `uids`. */
  readonly uid: Uint32Array;
  /** From 1, as declared; empty for the whole instance. */
  readonly frameNumbers: Ragged;
  /** 1 if Spatial Locations Preserved (0028,135A) is YES: the pixels correspond one to one. */
  readonly isPreserved: Uint8Array;
};

export function bytesOfRecord({ segments, frames }: SegmentationRecord): number {
  const { derivedFrom, sources, declaredUids, declaredSeriesUids } = frames;
  const perFrame = bytesOfGeometry(frames.geometry) + frames.segmentNumbers.byteLength;
  const lists = [derivedFrom, sources.frameNumbers].map(({ starts, values }) => starts.byteLength + values.byteLength);
  const uids = sources.uids.length + declaredUids.length + declaredSeriesUids.length;
  return (
    perFrame +
    lists.reduce((sum, bytes) => sum + bytes, 0) +
    sources.uid.byteLength +
    uids * 96 +
    segments.length * 1024
  );
}
