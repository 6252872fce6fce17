import type { VolumeRegionResponse, VolumeResponse, VolumeValueResponse } from '../../../shared/contract/volumes.ts';
import type { Vector3 } from '../../../shared/geometry.ts';
import { type FrameAddress, type FrameRequestOptions, type RawAnswer, toInit } from './frames.ts';
import { fetchJson, send } from './send.ts';

/** The volume that the stack of a frame fills, or why it is none. */
export function fetchVolume({ fileIndex, frame }: FrameAddress, signal: AbortSignal): Promise<VolumeResponse> {
  return fetchJson(`api/file/${fileIndex}/volume?frame=${frame}`, { signal });
}

/** `query` has the plane, and how it is sampled. */
export async function fetchRawPlane(
  { fileIndex, frame }: FrameAddress,
  query: string,
  options: FrameRequestOptions,
): Promise<RawAnswer> {
  const filter = options.isThin ? '&filter=predicted' : '';
  const response = await send(`api/file/${fileIndex}/plane/raw?frame=${frame}&${query}${filter}`, toInit(options));
  return { headers: response.headers, bytes: await response.arrayBuffer() };
}

export function fetchVolumeValue(
  { fileIndex, frame }: FrameAddress,
  { at, time }: { readonly at: Vector3; readonly time: number },
  signal: AbortSignal,
): Promise<VolumeValueResponse> {
  const point = at.map((mm) => mm.toFixed(4)).join(',');
  return fetchJson(`api/file/${fileIndex}/volume/value?frame=${frame}&at=${point}&time=${time}`, { signal });
}

export type RegionWish = {
  /** Slice, row and column. */
  readonly seed: readonly [slice: number, row: number, column: number];
  readonly low: number;
  readonly high: number;
  readonly time: number;
};

export function fetchVolumeRegion(
  { fileIndex, frame }: FrameAddress,
  { seed, low, high, time }: RegionWish,
  signal: AbortSignal,
): Promise<VolumeRegionResponse> {
  const range = `seed=${seed.join(',')}&low=${low}&high=${high}&time=${time}`;
  return fetchJson(`api/file/${fileIndex}/volume/region?frame=${frame}&${range}`, { signal });
}
