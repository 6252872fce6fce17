import { type LackingPlace, nameLacking } from '../../../standard/geometry/nameLacking.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { listAt, type Ragged } from '../../../images/references/ragged.ts';
import type { KnownPlace } from '../knownPlace.ts';
import type { PlaneColumns } from '../planeColumns.ts';

/** An open file over which frames of a segmentation may lie. */
export type SourceFile = {
  readonly source: KnownSource;
  readonly sopInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly rows: number;
  readonly columns: number;
  readonly frameCount: number;
  /** Position of its only frame, if the scan has read it. */
  readonly place: KnownPlace | undefined;
};

export const MAPPING_STATUSES = ['missing', 'resolved', 'ambiguous'] as const;
export const MAPPING_METHODS = ['explicit_derivation', 'declared_source_geometry'] as const;

/** What a frame lacks to have a plane, as bits of a number: its position is 1, its orientation 2, its spacing 4. */
type Lacking = 1 | 2 | 3 | 4 | 5 | 6 | 7;
const LACKING: readonly Lacking[] = [1, 2, 3, 4, 5, 6, 7];

function tellLacking<Of extends 'frame' | 'source'>(of: Of, noun: string) {
  const tell = (bits: Lacking) =>
    `${noun} has ${nameLacking({ position: (bits & 1) > 0, orientation: (bits & 2) > 0, spacing: (bits & 4) > 0 })}`;
  const entries = LACKING.map((bits) => [`${of}_lacks_${bits}`, tell(bits)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list has all members of the type
  return Object.fromEntries(entries) as { readonly [Code in `${Of}_lacks_${Lacking}`]: string };
}

/** The code of what a frame without a plane lacks; undefined if it lacks nothing. */
export function lackingCode<Of extends 'frame' | 'source'>(of: Of, lacking: LackingPlace) {
  const sum = Number(lacking.position) + 2 * Number(lacking.orientation) + 4 * Number(lacking.spacing);
  const bits = LACKING.find((one) => one === sum);
  return bits && (`${of}_lacks_${bits}` as const);
}

/** The reasons for a frame's mapping. */
export const MAPPING_REASONS = {
  coplanar: 'the frame was derived from this image and is in its plane',
  preserved: 'the frame was derived from this image, pixel by pixel',
  only_match: 'only this one of the declared source images is in the plane of the frame',
  several_copies: 'several open files are copies of the image that the frame was derived from',
  several_named: 'several of the images that the frame was derived from are in its plane',
  several_declared: 'several of the declared source images are in the plane of the frame',
  no_source: 'the object references no source image for the frame',
  source_not_open: 'the image that the frame was derived from is not open',
  sources_not_open: 'none of the declared source images is open',
  source_unreadable: 'the source image can no longer be read',
  frame_out_of_range: 'the image that the frame was derived from has no frame with that number',
  ...tellLacking('frame', 'the frame of the segmentation'),
  ...tellLacking('source', 'the source image'),
  other_space: 'the positions of the frame and of the source image are in different kinds of coordinates',
  frame_without_space: 'the segmentation has no Frame of Reference UID (0020,0052)',
  source_without_space: 'the declared source images have no Frame of Reference UID (0020,0052)',
  other_frame_of_reference: 'incompatible: the source image has another frame of reference',
  other_orientation: 'incompatible: the source image has another orientation',
  other_plane: 'incompatible: the source image is in another plane',
  no_overlap: 'incompatible: the frame does not overlap the source image',
  too_many_sources: 'the object references more source frames than can be compared with its own',
  no_match: 'none of the declared source images is in the plane of the frame',
} as const;
export type MappingReason = keyof typeof MAPPING_REASONS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const REASON_CODES = Object.keys(MAPPING_REASONS) as MappingReason[];

/** The source frame that each frame of a segmentation lies over, as columns. */
export type FrameMappings = {
  /** Indices into MAPPING_STATUSES, MAPPING_METHODS (255 for none) and REASON_CODES. */
  readonly statuses: Uint8Array<ArrayBuffer>;
  readonly methods: Uint8Array<ArrayBuffer>;
  readonly reasons: Uint8Array<ArrayBuffer>;
  /** For each frame the matching source frames, as pairs: index of the file in the list of sources, and frame. */
  readonly fits: Ragged;
  /** Plane of the one source frame that each frame lies over; none if it matches pixel by pixel. */
  readonly sourcePlanes: PlaneColumns;
  readonly resolvedCount: number;
  /** The resolved frames, in the order of their source frames. */
  readonly bySource: Uint32Array<ArrayBuffer>;
  /** Number of distinct source frames that frames lie over. */
  readonly mappedSourceCount: number;
  /** Index of the file that the first resolved frame lies over; -1 for none. */
  readonly firstSource: number;
};

export const NO_METHOD = 255;

/** Index of the file, and frame (from 0), that a resolved frame lies over. */
export function sourceOf(
  { fits }: Pick<FrameMappings, 'fits'>,
  frame: number,
): readonly [source: number, frame: number] {
  const [source = -1, sourceFrame = -1] = listAt(fits, frame);
  return [source, sourceFrame];
}

/** Negative if the first of two resolved frames lies over an earlier source frame. */
export function compareSources(mappings: Pick<FrameMappings, 'fits'>, a: number, b: number): number {
  const [sourceA, frameA] = sourceOf(mappings, a);
  const [sourceB, frameB] = sourceOf(mappings, b);
  return sourceA - sourceB || frameA - frameB || a - b;
}

/** The frames that lie over one source frame, found by binary search. */
export function findFramesOver(mappings: FrameMappings, source: number, frame: number): readonly number[] {
  const { bySource } = mappings;
  let low = 0;
  let high = bySource.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [ofSource, ofFrame] = sourceOf(mappings, bySource[middle]!);
    if ((ofSource - source || ofFrame - frame) < 0) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let at = low; at < bySource.length; at += 1) {
    const [ofSource, ofFrame] = sourceOf(mappings, bySource[at]!);
    if (ofSource !== source || ofFrame !== frame) break;
    found.push(bySource[at]!);
  }
  return found;
}
