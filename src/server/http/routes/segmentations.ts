import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import type {
  SegmentationResponse,
  SegmentStatistics as WireStatistics,
  SegmentStatisticsResponse,
} from '../../../shared/contract/segmentations.ts';
import type { SegmentationSummary } from '../../semantics/segmentationSummary.ts';
import type { SegmentStatistics } from '../../semantics/segmentStatistics.ts';
import type { SegmentAmount, SourceFrameOf } from '../../semantics/segmentTally.ts';
import { createHoldAnswer } from '../holdAnswer.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parsePriority } from '../parsePriority.ts';
import { parseQuery } from '../parseQuery.ts';
import { sendCompressible, sendJsonBytes } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';
import { damageHeaders } from './frames.ts';
import { toOverlay, toSegment } from './semantics.ts';

export function segmentationRoutes({ catalog, memory, semantics }: ServerContext) {
  const holdAnswer = createHoldAnswer(memory.answers);
  const segmentation: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const summary = await semantics.summary(catalog.get(index), { signal: c.req.raw.signal });
    return sendJsonBytes(c, toJson(toSegmentation(index, summary)));
  };
  const sourceMasks: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const query = parseQuery(ENDPOINTS.sourceMasks.query, c);
    const source = { file: catalog.get(query.source_file), frame: query.source_frame };
    const wanted = { signal: c.req.raw.signal, priority: parsePriority(c.req.header('priority')) };
    const { bytes, cached, damage } = await semantics.masks(file, source, wanted);
    const headers = {
      'Content-Type': 'application/octet-stream',
      [HEADER.cache]: cached ? 'HIT' : 'MISS',
      ...Object.fromEntries(damageHeaders(damage)),
    };
    await holdAnswer(c, bytes.length);
    return sendCompressible(c, bytes, headers);
  };
  const segmentStatistics: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const statistics = await semantics.statistics(catalog.get(index), { signal: c.req.raw.signal });
    return sendJsonBytes(c, toJson(toStatistics(index, statistics)));
  };
  return { segmentation, sourceMasks, segmentStatistics };
}

function toJson(body: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(body));
}

function toSegmentation(index: number, summary: SegmentationSummary): SegmentationResponse {
  return {
    file_index: index,
    segmentation_type: summary.segmentationType ?? null,
    segmentation_fractional_type: summary.fractionalType ?? null,
    maximum_fractional_value: summary.maximumFractionalValue ?? null,
    frame_count: summary.frameCount,
    segments: summary.segments.map(toSegment),
    overlay: toOverlay(summary.overlay),
    sources: summary.sources.map(({ file, frames }) => ({ file_index: file.index, frame_indices: [...frames] })),
    unmapped: summary.unmapped.map((group) => ({
      mapping_status: group.status,
      mapping_reason: group.reason,
      frame_count: group.frameCount,
      first_frame: group.firstFrame,
      segment_numbers: [...group.segmentNumbers],
    })),
    warnings: [...summary.warnings],
  };
}

function toStatistics(index: number, statistics: SegmentStatistics): SegmentStatisticsResponse {
  const { counts, sliceSpacing, segments, damagedFrames } = statistics;
  const isKnown = 'spacingMm' in sliceSpacing;
  return {
    file_index: index,
    counts,
    slice_spacing_mm: isKnown ? sliceSpacing.spacingMm : null,
    slice_spacing_source: isKnown ? sliceSpacing.source : null,
    volume_reason: isKnown ? null : sliceSpacing.reason,
    segments: segments.map(toSegmentStatistics),
    damaged_frames: damagedFrames,
  };
}

function toSegmentStatistics(amount: SegmentAmount): WireStatistics {
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
