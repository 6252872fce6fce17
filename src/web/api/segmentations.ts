import type { SegmentationResponse, SegmentStatisticsResponse } from '../../shared/contract/segmentations.ts';
import { decodeMasks, type SourceMasks } from '../../shared/maskLayers.ts';
import { type FrameAddress, type FrameRequestOptions, toInit } from './frames.ts';
import { fetchOnSlide, type RegionAddress } from './layers.ts';
import { fetchJson, send } from './send.ts';

export function fetchSegmentation(fileIndex: number, signal: AbortSignal): Promise<SegmentationResponse> {
  return fetchJson(`api/file/${fileIndex}/segmentation`, { signal });
}

export function fetchSegmentStatistics(fileIndex: number, signal: AbortSignal): Promise<SegmentStatisticsResponse> {
  return fetchJson(`api/file/${fileIndex}/segment-statistics`, { signal, priority: 'low' });
}

/** The masks of a layer over one frame. */
export async function fetchMasks(
  layer: number,
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<SourceMasks> {
  const response = await send(`api/layer/${layer}/frame?file=${fileIndex}&frame=${frame}`, toInit(options));
  return decodeMasks(await response.arrayBuffer());
}

/** The masks of a layer in a plane of the patient. */
export async function fetchMasksInPlane(
  layer: number,
  { frameOfReferenceUid, query }: { readonly frameOfReferenceUid: string; readonly query: string },
  options: FrameRequestOptions,
): Promise<SourceMasks> {
  const space = `frame_of_reference=${encodeURIComponent(frameOfReferenceUid)}`;
  const response = await send(`api/layer/${layer}/plane?${space}&${query}`, toInit(options));
  return decodeMasks(await response.arrayBuffer());
}

/** The masks of a layer on a part of a slide, with one sample for `pixel` pixels of the slide. */
export async function fetchMasksOnSlide(
  layer: number,
  region: RegionAddress,
  options: FrameRequestOptions,
): Promise<SourceMasks> {
  return decodeMasks(await fetchOnSlide(layer, region, options));
}
