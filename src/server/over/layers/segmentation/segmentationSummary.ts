import type { OverlayEligibility } from '../../../images/semantics/semantics.ts';
import type { LayerDescription, TargetFrames } from '../layerProvider.ts';
import { createPlacement, type LayerPlacement, unavailable } from '../placement.ts';
import { MAPPING_REASONS, MAPPING_STATUSES, REASON_CODES, sourceOf } from './frameMappings.ts';
import { planeInColumns } from '../planeColumns.ts';
import {
  findMeaning,
  isBackgroundSegment,
  judgeOverlay,
  type ShownSegment,
  showSegments,
} from './segmentationContext.ts';
import { spacesOfSegmentation } from './spacesOfSegmentation.ts';
import { listWarnings, type MappedSegmentation } from './segmentations.ts';

/** The content and position of a segmentation, without an entry for each of its frames. */
export type SegmentationSummary = LayerDescription & {
  readonly segmentationType: string | undefined;
  readonly fractionalType: string | undefined;
  readonly maximumFractionalValue: number | undefined;
  readonly frameCount: number;
  readonly parts: readonly ShownSegment[];
  readonly overlay: OverlayEligibility;
  /** The images that it was made from. */
  readonly sources: readonly TargetFrames[];
  readonly unmapped: readonly UnmappedFrames[];
};

/** Frames that lie over no source frame, grouped by reason. */
export type UnmappedFrames = {
  readonly status: 'missing' | 'ambiguous';
  readonly reason: string;
  readonly frameCount: number;
  readonly firstFrame: number;
  /** Ascending; empty if the frames name no segment. */
  readonly segmentNumbers: readonly number[];
};

export function summarizeSegmentation(segmentation: MappedSegmentation): SegmentationSummary {
  const { record, isMask, sources, slides, mappings } = segmentation;
  const canPaint = findMeaning(record, isMask) !== undefined;
  const overlay = judgeOverlay(mappings, { sources, canPaint });
  const unmapped = listUnmapped({ record, mappings });
  const over = listTargets({ sources, mappings });
  return {
    segmentationType: record.segmentationType,
    fractionalType: record.fractionalType,
    maximumFractionalValue: record.maximumFractionalValue,
    frameCount: record.frames.length,
    parts: showSegments(record).map((segment) =>
      record.segmentationType === 'LABELMAP' && isBackgroundSegment(segment)
        ? { ...segment, isBackground: true }
        : segment,
    ),
    overlay,
    sources: over,
    targets: over,
    slides,
    placement: findPlacement(segmentation, overlay),
    frameOfReferenceUids: spacesOfSegmentation(segmentation),
    unmapped,
    unplaced: unmapped.map(({ reason, frameCount, segmentNumbers }) => ({
      reason,
      part: segmentNumbers.length === 1 ? segmentNumbers[0] : undefined,
      count: frameCount,
    })),
    warnings: listWarnings(segmentation).map((message) => ({ code: 'segmentation_content', message })),
  };
}

/** Frames without a plane lie over their source pixel by pixel. */
function findPlacement({ mappings, aligned }: MappedSegmentation, overlay: OverlayEligibility): LayerPlacement {
  if (aligned !== undefined) {
    return createPlacement('direct', 'the slide has the same frame of reference and the same total pixel matrix');
  }
  if (!overlay.eligible) return unavailable(overlay.reason);
  const isInSpace = mappings.bySource.some((frame) => planeInColumns(mappings.sourcePlanes, frame) !== undefined);
  return createPlacement(isInSpace ? 'direct' : 'by_reference', overlay.reason);
}

function listTargets({ sources, mappings }: Pick<MappedSegmentation, 'sources' | 'mappings'>) {
  const found = new Map<number, number[]>();
  for (const frame of mappings.bySource) {
    const [source, sourceFrame] = sourceOf(mappings, frame);
    const frames = found.get(source);
    if (frames === undefined) found.set(source, [sourceFrame]);
    else if (frames.at(-1) !== sourceFrame) frames.push(sourceFrame);
  }
  return [...found].flatMap(([source, frames]) => {
    const file = sources[source];
    return file === undefined ? [] : [{ file, frames }];
  });
}

function listUnmapped({ record, mappings }: Pick<MappedSegmentation, 'record' | 'mappings'>): UnmappedFrames[] {
  const groups = new Map<string, { status: UnmappedFrames['status']; reason: number; frames: number[] }>();
  for (const [frame, place] of mappings.statuses.entries()) {
    const status = MAPPING_STATUSES[place];
    if (status === undefined || status === 'resolved') continue;
    const reason = mappings.reasons[frame] ?? 0;
    const key = `${status} ${reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { status, reason, frames: [frame] });
    else group.frames.push(frame);
  }
  return [...groups.values()].map(({ status, reason, frames }) => ({
    status,
    reason: MAPPING_REASONS[REASON_CODES[reason] ?? 'no_source'],
    frameCount: frames.length,
    firstFrame: frames[0] ?? 0,
    segmentNumbers: [...new Set(frames.map((frame) => record.frames.segmentNumbers[frame] ?? -1))]
      .filter((number) => number >= 0)
      .toSorted((a, b) => a - b),
  }));
}
