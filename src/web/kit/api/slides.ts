import type { WsiContextResponse, WsiTilesResponse } from '../../../shared/contract/wsi.ts';
import type { FrameAddress } from './frames.ts';
import { fetchJson } from './send.ts';

/** The position of a tile, and the other images of its slide. */
export function fetchSlideContext(
  { fileIndex, frame }: FrameAddress,
  signal: AbortSignal,
): Promise<WsiContextResponse> {
  return fetchJson(`api/file/${fileIndex}/frame/${frame}/wsi-context`, { signal });
}

/** The positions of all tiles of a file. */
export function fetchSlideTiles(fileIndex: number, signal: AbortSignal): Promise<WsiTilesResponse> {
  return fetchJson(`api/file/${fileIndex}/wsi-tiles`, { signal });
}
