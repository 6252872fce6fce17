import type { WsiContextResponse, WsiTilesResponse } from '../../shared/contract/wsi.ts';
import type { FrameAddress } from './frames.ts';
import { send } from './send.ts';

/** The position of a tile, and the other images of its slide. */
export async function fetchSlideContext(
  { fileIndex, frame }: FrameAddress,
  signal: AbortSignal,
): Promise<WsiContextResponse> {
  const response = await send(`api/file/${fileIndex}/frame/${frame}/wsi-context`, { signal });
  const body: WsiContextResponse = await response.json();
  return body;
}

/** The positions of all tiles of a file. */
export async function fetchSlideTiles(fileIndex: number, signal: AbortSignal): Promise<WsiTilesResponse> {
  const response = await send(`api/file/${fileIndex}/wsi-tiles`, { signal });
  const body: WsiTilesResponse = await response.json();
  return body;
}
