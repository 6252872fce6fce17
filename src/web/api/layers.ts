import type { LayerResponse } from '../../shared/contract/layerAnswers.ts';
import { type ContourPacket, decodeContours } from '../../shared/contourPacket.ts';
import { type FrameAddress, type FrameRequestOptions, toInit } from './frames.ts';
import { fetchJson, send } from './send.ts';

export function fetchLayer(layer: number, signal: AbortSignal): Promise<LayerResponse> {
  return fetchJson(`api/layer/${layer}`, { signal });
}

/** The contours of a layer over one frame. */
export async function fetchContours(
  layer: number,
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<ContourPacket> {
  const response = await send(`api/layer/${layer}/frame?file=${fileIndex}&frame=${frame}`, toInit(options));
  return decodeContours(await response.arrayBuffer());
}

/** The contours of a layer in a plane of the patient. */
export async function fetchContoursInPlane(
  layer: number,
  { frameOfReferenceUid, query }: { readonly frameOfReferenceUid: string; readonly query: string },
  options: FrameRequestOptions,
): Promise<ContourPacket> {
  const space = `frame_of_reference=${encodeURIComponent(frameOfReferenceUid)}`;
  const response = await send(`api/file/${layer}/layer/plane?${space}&${query}`, toInit(options));
  return decodeContours(await response.arrayBuffer());
}
