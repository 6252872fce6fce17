import { addTo } from '../../../../shared/addTo.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import { type FrameGeometry, measuresAt, planeAt } from '../../../standard/geometry/frameGeometry.ts';
import { findLacking } from '../../../standard/geometry/nameLacking.ts';
import { listAt, RaggedBuilder } from '../../../images/references/ragged.ts';
import {
  compareSources,
  type FrameMappings,
  lackingCode,
  MAPPING_METHODS,
  MAPPING_STATUSES,
  type MappingReason,
  NO_METHOD,
  REASON_CODES,
} from './frameMappings.ts';
import { createPlaneColumns, putPlane } from '../planeColumns.ts';
import { findMisfit } from './planeFit.ts';
import type { SegmentationFrames, SegmentationRecord } from './segmentationRecord.ts';
import { createSourcePlanes, type SourceFrame, type SourceGeometry, type SourcePlanes } from './sourcePlanes.ts';

export type PlacedSegmentation = Pick<SegmentationRecord, 'rows' | 'columns' | 'frames'>;

/** The mapping of one frame. `fits` has one member if it is resolved. */
export type FrameMapping = {
  readonly status: (typeof MAPPING_STATUSES)[number];
  readonly method: (typeof MAPPING_METHODS)[number] | undefined;
  readonly reason: MappingReason;
  readonly fits: readonly Fit[];
};

/** A source frame that a frame lies over; without a plane, they match pixel by pixel. */
export type Fit = SourceFrame & { readonly plane: ImagePlane | undefined };

/** Enough to show that there are several. */
const MOST_FITS = 64;

/**
 * Limit on the source frames that are compared with the frames of one object in total: many per frame. A list repeated
 * by every frame would otherwise take minutes.
 */
const COMPARISONS = { few: 262_144, aFrame: 32 };
/** A source frame that fits costs as much as this many that do not. */
const COST_OF_FIT = 16;
/** The same limit for nearby source frames: among the tiles of a slide, two rows. */
const NEAR = { few: 1_048_576, aFrame: 1024 };

/** Finds the source frame of every frame by applying the rules in order; never guesses between two. */
export function mapFrames(segmentation: PlacedSegmentation, sources: readonly SourceGeometry[]): FrameMappings {
  const { length } = segmentation.frames;
  const mapper = new FrameMapper(segmentation, sources);
  const statuses = new Uint8Array(length);
  const methods = new Uint8Array(length).fill(NO_METHOD);
  const reasons = new Uint8Array(length);
  const fits = new RaggedBuilder();
  const sourcePlanes = createPlaneColumns(length);
  const resolved: SourceFrame[] = [];
  const resolvedFrames: number[] = [];
  for (let frame = 0; frame < length; frame += 1) {
    const mapping = mapper.map(frame);
    statuses[frame] = MAPPING_STATUSES.indexOf(mapping.status);
    if (mapping.method !== undefined) methods[frame] = MAPPING_METHODS.indexOf(mapping.method);
    reasons[frame] = REASON_CODES.indexOf(mapping.reason);
    fits.add(mapping.fits.slice(0, MOST_FITS).flatMap((fit) => [fit.source, fit.frame]));
    const [fit] = mapping.fits;
    if (mapping.status !== 'resolved' || fit === undefined) continue;
    putPlane(sourcePlanes, frame, fit.plane);
    resolved.push(fit);
    resolvedFrames.push(frame);
  }
  const allFits = fits.build();
  return {
    statuses,
    methods,
    reasons,
    fits: allFits,
    sourcePlanes,
    resolvedCount: resolved.length,
    bySource: Uint32Array.from(resolvedFrames).toSorted((a, b) => compareSources({ fits: allFits }, a, b)),
    mappedSourceCount: distinct(resolved).length,
    firstSource: resolved[0]?.source ?? -1,
  };
}

class FrameMapper {
  readonly #segmentation: PlacedSegmentation;
  readonly #frames: SegmentationFrames;
  readonly #sources: readonly SourceGeometry[];
  readonly #byUid = new Map<string, number[]>();
  readonly #declared: ReadonlySet<number>;
  readonly #planes: SourcePlanes;
  #comparisonsLeft: number;
  #nearLeft: number;

  constructor(segmentation: PlacedSegmentation, sources: readonly SourceGeometry[]) {
    this.#segmentation = segmentation;
    this.#frames = segmentation.frames;
    this.#comparisonsLeft = COMPARISONS.few + COMPARISONS.aFrame * this.#frames.length;
    this.#nearLeft = NEAR.few + NEAR.aFrame * this.#frames.length;
    this.#sources = sources;
    for (const [place, { sopInstanceUid }] of sources.entries()) addTo(this.#byUid, sopInstanceUid, place);
    const uids = new Set(this.#frames.declaredUids);
    const seriesUids = new Set(this.#frames.declaredSeriesUids);
    const isDeclared = (each: SourceGeometry) =>
      uids.has(each.sopInstanceUid) || seriesUids.has(each.seriesInstanceUid);
    this.#declared = new Set(sources.flatMap((source, place) => (isDeclared(source) ? [place] : [])));
    this.#planes = createSourcePlanes(sources);
  }

  map(frame: number): FrameMapping {
    if (this.#comparisonsLeft <= 0 || this.#nearLeft <= 0) return missing('too_many_sources');
    const named = listAt(this.#frames.derivedFrom, frame);
    return named.length > 0 ? this.#mapNamed(frame, named) : this.#mapByPlane(frame);
  }

  /** The frame names the images from which it was derived. */
  #mapNamed(frame: number, rows: Int32Array): FrameMapping {
    const { sources } = this.#frames;
    const judged: Judgement[] = [];
    for (const row of rows) {
      this.#comparisonsLeft -= 1;
      const places = this.#byUid.get(sources.uids[sources.uid[row] ?? -1] ?? '') ?? [];
      if (places.length === 0) judged.push({ reason: 'source_not_open' });
      const numbers = listAt(sources.frameNumbers, row);
      for (const place of places) {
        const isOneFrame = numbers.length === 1 || this.#sources[place]?.frameCount === 1;
        const isPreserved = isOneFrame && sources.isPreserved[row] === 1;
        for (const candidate of this.#candidates(frame, place, numbers)) {
          // Unless all are compared, a fit cannot be known to be the only one.
          if (this.#comparisonsLeft <= 0) return missing('too_many_sources');
          const judgement: Judgement =
            candidate === undefined ? { reason: 'frame_out_of_range' } : this.#judge(frame, candidate, isPreserved);
          this.#comparisonsLeft -= judgement.fit === undefined ? 1 : COST_OF_FIT;
          judged.push(judgement);
        }
      }
    }
    const method = 'explicit_derivation';
    const fits = distinct(judged.flatMap(({ fit }) => (fit === undefined ? [] : [fit])));
    if (fits.length > 1) {
      const uids = new Set(fits.map(({ source }) => this.#sources[source]?.sopInstanceUid));
      const frames = new Set(fits.map((fit) => fit.frame));
      const isCopies = uids.size === 1 && frames.size === 1;
      return { status: 'ambiguous', method, reason: isCopies ? 'several_copies' : 'several_named', fits };
    }
    const [only] = fits;
    if (only === undefined) return missing(worst(judged));
    return { status: 'resolved', method, reason: only.plane === undefined ? 'preserved' : 'coplanar', fits };
  }

  /**
   * The named frames of a source, undefined for a frame that it does not have; without numbers, the frames that can
   * fit.
   */
  #candidates(frame: number, source: number, numbers: Int32Array): readonly (SourceFrame | undefined)[] {
    const frameCount = this.#sources[source]?.frameCount ?? 0;
    if (numbers.length > 0) {
      // One more than can be compared, to detect that there are too many.
      const compared = numbers.subarray(0, Math.max(0, this.#comparisonsLeft) + 1);
      return [...new Set(compared)].map((number) => (number <= frameCount ? { source, frame: number - 1 } : undefined));
    }
    const plane = planeAt(this.#frames.geometry, frame);
    if (frameCount === 1 || plane === undefined) return [{ source, frame: 0 }];
    const near = this.#near(frame, plane).filter((candidate) => candidate.source === source);
    return near.length > 0 ? near : [{ source, frame: 0 }];
  }

  /** Sources are declared only for the whole object: the geometry decides, and must be complete. */
  #mapByPlane(frame: number): FrameMapping {
    const { declaredUids, declaredSeriesUids } = this.#frames;
    if (declaredUids.length + declaredSeriesUids.length === 0) return missing('no_source');
    if (this.#declared.size === 0) return missing('sources_not_open');
    const plane = planeAt(this.#frames.geometry, frame);
    if (plane === undefined) return missing(this.#lackingFrame(frame));
    const { frameOfReferenceUid } = this.#frames.geometry;
    if (frameOfReferenceUid === undefined) return missing('frame_without_space');
    const isUnnamed = (source: number) => this.#sources[source]?.geometry?.frameOfReferenceUid === undefined;
    const fits = this.#near(frame, plane)
      .filter(({ source }) => this.#declared.has(source))
      .filter(({ source }) => this.#sources[source]?.geometry?.frameOfReferenceUid === frameOfReferenceUid)
      .flatMap((candidate) => this.#judge(frame, candidate, false).fit ?? []);
    if (fits.length === 0) return missing([...this.#declared].every(isUnnamed) ? 'source_without_space' : 'no_match');
    const method = 'declared_source_geometry';
    if (fits.length > 1) return { status: 'ambiguous', method, reason: 'several_declared', fits };
    return { status: 'resolved', method, reason: 'only_match', fits };
  }

  #near(frame: number, plane: ImagePlane): readonly SourceFrame[] {
    const { rows, columns } = this.#segmentation;
    const near = this.#planes.near({ rows, columns, plane }, toleranceOf(this.#frames.geometry, frame));
    this.#nearLeft -= near.length;
    return near;
  }

  #judge(frame: number, candidate: SourceFrame, isPreserved: boolean): Judgement {
    const source = this.#sources[candidate.source];
    if (source?.geometry === undefined) return { reason: 'source_unreadable' };
    const { rows, columns } = this.#segmentation;
    const { frameOfReferenceUid } = this.#frames.geometry;
    const theirs = source.geometry.frameOfReferenceUid;
    if (frameOfReferenceUid !== undefined && theirs !== undefined && frameOfReferenceUid !== theirs) {
      return { reason: 'other_frame_of_reference' };
    }
    const plane = planeAt(this.#frames.geometry, frame);
    const sourcePlane = this.#isOtherSpace(source.geometry) ? undefined : planeAt(source.geometry, candidate.frame);
    const isPixelByPixel = isPreserved && rows === source.rows && columns === source.columns;
    // Writers of slides differ by a pixel in the position of a tile, but the tile they mean is unambiguous.
    if (isPixelByPixel && source.geometry.space === 'slide') return { fit: { ...candidate, plane: undefined } };
    if (plane === undefined || sourcePlane === undefined) {
      if (isPixelByPixel) return { fit: { ...candidate, plane: undefined } };
      if (plane === undefined) return { reason: this.#lackingFrame(frame) };
      return { reason: lackingCode('source', findLacking(source.geometry, candidate.frame)) ?? 'other_space' };
    }
    const misfit = findMisfit(
      { rows, columns, plane },
      { rows: source.rows, columns: source.columns, plane: sourcePlane },
      toleranceOf(this.#frames.geometry, frame),
    );
    return misfit === undefined ? { fit: { ...candidate, plane: sourcePlane } } : { reason: misfit };
  }

  #lackingFrame(frame: number): MappingReason {
    return lackingCode('frame', findLacking(this.#frames.geometry, frame)) ?? 'other_space';
  }

  /** The coordinates of an ultrasound volume cannot be compared with others. */
  #isOtherSpace({ space }: FrameGeometry): boolean {
    return (space === 'volume') !== (this.#frames.geometry.space === 'volume');
  }
}

const LEAST_TOLERANCE_MM = 1e-3;
const TOLERANCE_OF_SPACING = 0.01;

/** How far a frame may be from a plane and still count as lying in it. */
function toleranceOf(geometry: FrameGeometry, frame: number): number {
  const { sliceSpacingMm, sliceThicknessMm } = measuresAt(geometry, frame) ?? {};
  return Math.max(LEAST_TOLERANCE_MM, TOLERANCE_OF_SPACING * Math.abs(sliceSpacingMm ?? sliceThicknessMm ?? 0));
}

type Judgement = { readonly fit?: Fit; readonly reason?: MappingReason };

function missing(reason: MappingReason): FrameMapping {
  return { status: 'missing', method: undefined, reason, fits: [] };
}

function distinct<Place extends SourceFrame>(fits: readonly Place[]): readonly Place[] {
  return [...new Map(fits.map((fit) => [`${fit.source} ${fit.frame}`, fit])).values()];
}

/** The most informative of several reasons: sources that are open but do not fit, before sources that are not open. */
function worst(judged: readonly Judgement[]): MappingReason {
  const reasons = judged.flatMap(({ reason }) => reason ?? []);
  return reasons.find((reason) => reason !== 'source_not_open') ?? reasons[0] ?? 'source_not_open';
}
