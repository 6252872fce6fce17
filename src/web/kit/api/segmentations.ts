import type { SegmentationResponse, SegmentStatisticsResponse } from '../../../shared/contract/segmentations.ts';
import { fetchJson } from './send.ts';

export function fetchSegmentation(fileIndex: number, signal: AbortSignal): Promise<SegmentationResponse> {
  return fetchJson(`api/file/${fileIndex}/segmentation`, { signal });
}

export function fetchSegmentStatistics(fileIndex: number, signal: AbortSignal): Promise<SegmentStatisticsResponse> {
  return fetchJson(`api/file/${fileIndex}/segment-statistics`, { signal, priority: 'low' });
}
