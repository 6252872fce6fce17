import type { LayerResponse } from '../../../shared/contract/layerAnswers.ts';
import { type FrameAddress, type FrameRequestOptions, toInit } from './frames.ts';
import { fetchJson, send } from './send.ts';

export function fetchLayer(layer: number, signal: AbortSignal): Promise<LayerResponse> {
  return fetchJson(`api/layer/${layer}`, { signal });
}

/** A plane of the patient. */
type PlaneAddress = { readonly frameOfReferenceUid: string; readonly query: string };

/** A part of a slide, in pixels of its largest level. */
type RegionAddress = {
  readonly slideIndex: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Pixels of the slide for each sample of a mask. */
  readonly pixel: number;
};

type PacketOfLayer = {
  readonly layer: number;
  readonly part: number | undefined;
  readonly combined?: { readonly plus: readonly number[]; readonly minus: readonly number[] } | undefined;
};

/** What a layer, or one part of it, puts over a frame, a plane or a part of a slide. Its kind knows the format. */
export async function fetchPacket(
  { layer, part, combined }: PacketOfLayer,
  target: FrameAddress | PlaneAddress | RegionAddress,
  options: FrameRequestOptions,
): Promise<ArrayBuffer> {
  const parts = part === undefined ? '' : `&parts=${part}`;
  const doses = combined === undefined ? '' : formatDoses(combined);
  const response = await send(`api/layer/${layer}/${formatTarget(target)}${parts}${doses}`, toInit(options));
  return response.arrayBuffer();
}

function formatDoses(combined: NonNullable<PacketOfLayer['combined']>): string {
  const names = ['plus', 'minus'] as const;
  return names.map((name) => (combined[name].length === 0 ? '' : `&${name}=${combined[name].join()}`)).join('');
}

function formatTarget(target: FrameAddress | PlaneAddress | RegionAddress): string {
  if ('query' in target) {
    return `plane?frame_of_reference=${encodeURIComponent(target.frameOfReferenceUid)}&${target.query}`;
  }
  if ('frame' in target) return `frame?file=${target.fileIndex}&frame=${target.frame}`;
  const { slideIndex, x, y, width, height, pixel } = target;
  return `region?file=${slideIndex}&x=${x}&y=${y}&width=${width}&height=${height}&pixel=${pixel}`;
}
