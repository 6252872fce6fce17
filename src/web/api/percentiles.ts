import type { PercentilesResponse } from '../../shared/contract/percentiles.ts';
import { type FrameAddress, type FrameRequestOptions, toInit } from './frames.ts';
import { send } from './send.ts';

export async function fetchPercentiles(
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<PercentilesResponse> {
  const response = await send(`api/file/${fileIndex}/frame/${frame}/percentiles`, toInit(options));
  const body: PercentilesResponse = await response.json();
  return body;
}
