import type { WsiContextResponse, WsiTilesResponse } from '../../shared/contract/wsi.ts';
import type { FrameAddress } from './frames.ts';
import { send } from './send.ts';

/** Where a tile lies, and what else there is of its slide. */
export async function fetchSlideContext(
  { fileIndex, frame }: FrameAddress,
  signal: AbortSignal,
): Promise<WsiContextResponse> {
  const response = await send(`api/file/${fileIndex}/frame/${frame}/wsi-context`, { signal });
  const body: WsiContextResponse = await response.json();
  return body;
}

/** Where all tiles of a file lie. */
export async function fetchSlideTiles(fileIndex: number, signal: AbortSignal): Promise<WsiTilesResponse> {
  const response = await send(`api/file/${fileIndex}/wsi-tiles`, { signal });
  const body: WsiTilesResponse = await response.json();
  return body;
}
