import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import { FAILURE_IN_BODY, HEADER } from '../../../shared/contract/headers.ts';
import type { PercentilesResponse } from '../../../shared/contract/percentiles.ts';
import type { ValueMappingResponse } from '../../../shared/contract/valueMapping.ts';
import { type FrameDamage, parseFrameDamage } from '../../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../../shared/presentation.ts';
import { fetchJson, send } from './send.ts';

export type FrameAddress = {
  readonly fileIndex: number;
  /** Counts from 0. */
  readonly frame: number;
};

export type FrameRequestOptions = {
  readonly signal: AbortSignal;
  /** Not needed yet, so the server serves other requests first. */
  readonly isPrefetch?: boolean;
  /** The link is the bottleneck, so the server may spend time to send less. */
  readonly isThin?: boolean;
};

export type RawAnswer = { readonly headers: Headers; readonly bytes: ArrayBuffer };

export async function fetchRawFrame(
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<RawAnswer> {
  const filter = options.isThin ? '?filter=predicted' : '';
  const response = await send(`api/file/${fileIndex}/frame/${frame}/raw${filter}`, toInit(options));
  return { headers: response.headers, bytes: await response.arrayBuffer() };
}

export type PictureAnswer = {
  readonly picture: Blob;
  /** Undefined for color. */
  readonly window: AppliedWindow | undefined;
  readonly damage: FrameDamage | undefined;
  /** How many samples are outside the range of Bits Stored. */
  readonly outOfRange: number;
};

/**
 * A picture rendered by the server, by a presentation state if one is given. A declared window other than the first
 * must be requested by its numbers.
 */
export async function fetchPicture(
  { fileIndex, frame }: FrameAddress,
  { choice, state }: { readonly choice: WindowChoice; readonly state?: number | undefined },
  options: FrameRequestOptions,
): Promise<PictureAnswer> {
  const window = toQuery(choice);
  const byState = state === undefined ? '' : `${window === '' ? '?' : '&'}presentation=${state}`;
  return fetchFrame(`${fileIndex}/frame/${frame}${window}${byState}`, options);
}

/** The frame with its own window; the JPEG as it is stored if that looks the same. */
export async function fetchSource(
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<PictureAnswer> {
  return fetchFrame(`${fileIndex}/frame/${frame}?format=source`, options);
}

async function fetchFrame(path: string, options: FrameRequestOptions): Promise<PictureAnswer> {
  const response = await send(`api/file/${path}`, toInit(options));
  const damage = parseFrameDamage(response.headers.get(HEADER.damage));
  const outOfRange = Number(response.headers.get(HEADER.outOfRange) ?? 0);
  return { picture: await response.blob(), window: readWindow(response.headers), damage, outOfRange };
}

export async function fetchThumbnail(
  { fileIndex, frame }: FrameAddress,
  size: number,
  options: FrameRequestOptions,
): Promise<Blob> {
  return (await fetchPreview({ fileIndex, frame }, { size, choice: { kind: 'default' } }, options)).picture;
}

/** A picture whose longer edge has at most `size` pixels. */
export async function fetchPreview(
  { fileIndex, frame }: FrameAddress,
  { size, choice }: { readonly size: number; readonly choice: WindowChoice },
  options: FrameRequestOptions,
): Promise<PictureAnswer> {
  const window = toQuery(choice).replace('?', '&');
  return fetchFrame(`${fileIndex}/frame/${frame}/thumbnail?size=${size}${window}`, options);
}

export function fetchPercentiles(
  { fileIndex, frame }: FrameAddress,
  options: FrameRequestOptions,
): Promise<PercentilesResponse> {
  return fetchJson(`api/file/${fileIndex}/frame/${frame}/percentiles`, toInit(options));
}

export function fetchValueMapping(
  { fileIndex, frame }: FrameAddress,
  signal: AbortSignal,
): Promise<ValueMappingResponse> {
  return fetchJson(`api/file/${fileIndex}/frame/${frame}/value-mapping`, { signal });
}

/** The query after the path of a frame. The same window always gives the same text. */
export function toQuery(choice: WindowChoice): string {
  if (choice.kind === 'full_dynamic') return '?mode=full_dynamic';
  return choice.kind === 'explicit' ? `?wc=${choice.center}&ww=${choice.width}` : '';
}

export function toInit({ signal, isPrefetch = false }: FrameRequestOptions): RequestInit {
  const headers = { Prefer: FAILURE_IN_BODY };
  if (!isPrefetch) return { signal, priority: 'high', headers };
  return { signal, priority: 'low', headers: { ...headers, Priority: 'u=6' } };
}

const APPLIED: readonly string[] = [
  'linear',
  'linear_exact',
  'sigmoid',
  'voi_lut',
] satisfies AppliedWindow['applied'][];

function readWindow(headers: Headers): AppliedWindow | undefined {
  const [center, width, applied] = [HEADER.windowCenter, HEADER.windowWidth, HEADER.windowApplied].map((name) =>
    headers.get(name),
  );
  if (typeof center !== 'string' || typeof width !== 'string' || !isApplied(applied)) return undefined;
  return { center: Number(center), width: Number(width), applied };
}

function isApplied(term: string | null | undefined): term is AppliedWindow['applied'] {
  return typeof term === 'string' && APPLIED.includes(term);
}
