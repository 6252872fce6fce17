import type { LayerResponse } from '../../shared/contract/layerAnswers.ts';
import { type ContourPacket, decodeContours } from '../../shared/contourPacket.ts';
import type { GraphicsPacket } from '../../shared/contract/graphics.ts';
import { decodeField, type FieldPacket } from '../../shared/fieldPacket.ts';
import { decodeGraphics } from '../../shared/graphicsPacket.ts';
import { decodePoints, type PointsPacket } from '../../shared/pointsPacket.ts';
import { type FrameAddress, type FrameRequestOptions, toInit } from './frames.ts';
import { fetchJson, send } from './send.ts';

export function fetchLayer(layer: number, signal: AbortSignal): Promise<LayerResponse> {
  return fetchJson(`api/layer/${layer}`, { signal });
}

type Plane = { readonly frameOfReferenceUid: string; readonly query: string };

/** The contours of a layer over one frame. */
export async function fetchContours(layer: number, frame: FrameAddress, options: FrameRequestOptions) {
  return decodeContours(await fetchOverFrame(layer, frame, options));
}

/** The contours of a layer in a plane of the patient. */
export async function fetchContoursInPlane(
  layer: number,
  plane: Plane,
  options: FrameRequestOptions,
): Promise<ContourPacket> {
  return decodeContours(await fetchInPlane(layer, plane, options));
}

/** A layer, and one of its volumes. */
type FieldVolume = { readonly layer: number; readonly part: number | undefined };

/** The values of a layer over one frame. */
export async function fetchField({ layer, part }: FieldVolume, frame: FrameAddress, options: FrameRequestOptions) {
  return decodeField(await fetchOverFrame(layer, frame, options, part));
}

/** The values of a layer in a plane of the patient. */
export async function fetchFieldInPlane(
  { layer, part }: FieldVolume,
  plane: Plane,
  options: FrameRequestOptions,
): Promise<FieldPacket> {
  return decodeField(await fetchInPlane(layer, plane, options, part));
}

/** The graphics of a layer over one frame. */
export async function fetchGraphics(
  layer: number,
  frame: FrameAddress,
  options: FrameRequestOptions,
): Promise<GraphicsPacket> {
  return decodeGraphics(await fetchOverFrame(layer, frame, options));
}

/** The graphics of a layer in a plane of the patient. */
export async function fetchGraphicsInPlane(
  layer: number,
  plane: Plane,
  options: FrameRequestOptions,
): Promise<GraphicsPacket> {
  return decodeGraphics(await fetchInPlane(layer, plane, options));
}

/** The graphics of a layer on a slide. */
export async function fetchGraphicsOnSlide(
  layer: number,
  region: RegionAddress,
  options: FrameRequestOptions,
): Promise<GraphicsPacket> {
  return decodeGraphics(await fetchOnSlide(layer, region, options));
}

/** The annotations of a layer on a part of a slide. */
export async function fetchPoints(
  layer: number,
  region: RegionAddress,
  options: FrameRequestOptions,
): Promise<PointsPacket> {
  return decodePoints(await fetchOnSlide(layer, region, options));
}

/** A part of a slide, in pixels of its largest level. */
export type RegionAddress = {
  readonly slideIndex: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly pixel: number;
};

/** What a layer has on a part of a slide. */
export async function fetchOnSlide(
  layer: number,
  { slideIndex, x, y, width, height, pixel }: RegionAddress,
  options: FrameRequestOptions,
): Promise<ArrayBuffer> {
  const part = `x=${x}&y=${y}&width=${width}&height=${height}&pixel=${pixel}`;
  const response = await send(`api/layer/${layer}/region?file=${slideIndex}&${part}`, toInit(options));
  return response.arrayBuffer();
}

async function fetchOverFrame(
  layer: number,
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
  part?: number,
): Promise<ArrayBuffer> {
  const query = `file=${fileIndex}&frame=${frame}${formatPart(part)}`;
  const response = await send(`api/layer/${layer}/frame?${query}`, toInit(options));
  return response.arrayBuffer();
}

async function fetchInPlane(
  layer: number,
  { frameOfReferenceUid, query }: Plane,
  options: FrameRequestOptions,
  part?: number,
): Promise<ArrayBuffer> {
  const space = `frame_of_reference=${encodeURIComponent(frameOfReferenceUid)}`;
  const response = await send(`api/layer/${layer}/plane?${space}&${query}${formatPart(part)}`, toInit(options));
  return response.arrayBuffer();
}

function formatPart(part: number | undefined): string {
  return part === undefined ? '' : `&parts=${part}`;
}
