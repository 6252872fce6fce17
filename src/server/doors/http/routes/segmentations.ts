import { HEADER } from '../../../../shared/contract/headers.ts';
import type {
  SegmentationResponse,
  SegmentStatistics,
  SegmentStatisticsResponse,
} from '../../../../shared/contract/segmentations.ts';
import type { SegmentationSummary } from '../../../over/layers/segmentation/segmentationSummary.ts';
import type { SegmentationStatistics } from '../../../over/layers/segmentation/segmentStatistics.ts';
import type { SegmentAmount, SourceFrameOf } from '../../../over/layers/segmentation/segmentTally.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendLongJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { damageHeaders } from './frames.ts';
import { toOverlay, toSegment } from './semantics.ts';

export function segmentationRoutes({ catalog, memory, layers }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  const segmentation: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const summary = await layers.segmentation.describe(catalog.get(index), { signal: c.signal });
    return sendLongJson(c, toSegmentation(index, summary));
  };
  const segmentationOverlay: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const frame = parsePathNumber(c, 'frame');
    const { png, cached, damage } = await layers.segmentation.overlay(file, frame, { signal: c.signal });
    return sendBytes(c, png, [
      ['Content-Type', 'image/png'],
      [HEADER.cache, cached ? 'HIT' : 'MISS'],
      ...damageHeaders(damage),
    ]);
  };
  const segmentStatistics: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const statistics = await layers.segmentation.statistics(catalog.get(index), { signal: c.signal });
    return sendLongJson(c, toStatistics(index, statistics));
  };
  return { segmentation, segmentationOverlay, segmentStatistics };
}

function toSegmentation(index: number, summary: SegmentationSummary): SegmentationResponse {
  return {
    file_index: index,
    segmentation_type: summary.segmentationType ?? null,
    segmentation_fractional_type: summary.fractionalType ?? null,
    maximum_fractional_value: summary.maximumFractionalValue ?? null,
    frame_count: summary.frameCount,
    segments: summary.parts.map(toSegment),
    overlay: toOverlay(summary.overlay),
    sources: summary.sources.map(({ file, frames }) => ({ file_index: file.index, frame_indices: [...frames] })),
    slide_file_indices: (summary.slides ?? []).map(({ index: slide }) => slide),
    unmapped: summary.unmapped.map((group) => ({
      mapping_status: group.status,
      mapping_reason: group.reason,
      frame_count: group.frameCount,
      first_frame: group.firstFrame,
      segment_numbers: [...group.segmentNumbers],
    })),
    warnings: summary.warnings.map(({ message }) => message),
  };
}

function toStatistics(index: number, statistics: SegmentationStatistics): SegmentStatisticsResponse {
  const { counts, sliceSpacing, segments, fullest, damagedFrames } = statistics;
  const isKnown = 'spacingMm' in sliceSpacing;
  return {
    file_index: index,
    counts,
    slice_spacing_mm: isKnown ? sliceSpacing.spacingMm : null,
    slice_spacing_source: isKnown ? sliceSpacing.source : null,
    volume_reason: isKnown ? null : sliceSpacing.reason,
    segments: segments.map(toSegmentStatistics),
    fullest_source: toSourceFrame(fullest),
    damaged_frames: damagedFrames,
  };
}

function toSegmentStatistics(amount: SegmentAmount): SegmentStatistics {
  return {
    number: amount.number,
    voxel_count: amount.voxelCount,
    volume_mm3: amount.volumeMm3 ?? null,
    frame_count: amount.frameCount,
    first_frame: amount.firstFrame ?? null,
    last_frame: amount.lastFrame ?? null,
    first_source: toSourceFrame(amount.firstSource),
    last_source: toSourceFrame(amount.lastSource),
    damaged_frames: amount.damagedFrames,
  };
}

function toSourceFrame(source: SourceFrameOf | undefined) {
  return source === undefined ? null : { file_index: source.file.index, frame_index: source.frame };
}
