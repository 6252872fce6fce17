import type { DocumentResponse } from '../../../shared/contract/documents.ts';
import type { PlanResponse } from '../../../shared/contract/plans.ts';
import type { MeasurementsResponse, ReportResponse } from '../../../shared/contract/reports.ts';
import type { NarrativeResponse } from '../../../shared/contract/narrative.ts';
import { FAILURE_IN_BODY, HEADER } from '../../../shared/contract/headers.ts';
import { fetchJson, send } from './send.ts';

/** What an object is and says. */
export function fetchDocument(fileIndex: number, signal: AbortSignal): Promise<DocumentResponse> {
  return fetchJson(`api/file/${fileIndex}/document`, { signal });
}

/** Items of a report that are shown while the others are loaded. */
const FIRST_ITEMS = 200;

/** The first items of a report, which a long report has long before all of them. */
export function fetchReportBeginning(fileIndex: number, signal: AbortSignal): Promise<ReportResponse> {
  return fetchJson(`api/file/${fileIndex}/report?first=${FIRST_ITEMS}&depth=16`, { signal });
}

/** Children of an item that are asked for at once. */
const PAGE_ITEMS = 1_000;

/** A page of the content tree of a report: an item with what is below it, from one of its children on. */
export function fetchReport(
  fileIndex: number,
  { item, offset }: { readonly item: string; readonly offset: number },
  signal: AbortSignal,
): Promise<ReportResponse> {
  const query = `item=${item}&depth=16&offset=${offset}&limit=${PAGE_ITEMS}`;
  return fetchJson(`api/file/${fileIndex}/report?${query}`, { signal });
}

export function fetchMeasurements(fileIndex: number, signal: AbortSignal): Promise<MeasurementsResponse> {
  return fetchJson(`api/file/${fileIndex}/report/measurements`, { signal });
}

/** The measurements of a report with their codes. */
export async function fetchMeasurementsCsv(fileIndex: number): Promise<Blob> {
  const response = await send(`api/file/${fileIndex}/report/measurements?format=csv`);
  return response.blob();
}

/** A treatment plan or record. `part` is the beam or channel whose control points are wanted. */
export function fetchPlan(
  fileIndex: number,
  part: { readonly kind: 'beam' | 'channel'; readonly position: number } | undefined,
  signal: AbortSignal,
): Promise<PlanResponse> {
  const query = part === undefined ? '' : `?${part.kind}=${part.position}`;
  return fetchJson(`api/file/${fileIndex}/plan${query}`, { signal });
}

/** The bytes of a file inside an object, if they are not more than `most`. */
export async function fetchContent(path: `api/${string}`, most: number, signal: AbortSignal): Promise<Uint8Array> {
  const { headers } = await send(path, { signal, method: 'HEAD' });
  const length = Number(headers.get('Content-Length'));
  if (length > most) {
    const [has, limit] = [length, most].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MiB`);
    throw new Error(`The file has ${has}, and only files up to ${limit} are shown. It can be saved.`);
  }
  return new Uint8Array(await (await send(path, { signal })).arrayBuffer());
}

/** A file inside an object, with the name under which it is saved. */
export async function fetchStored(path: `api/${string}`): Promise<{ blob: Blob; name: string }> {
  const response = await send(path);
  const [, name = 'file.bin'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  return { blob: await response.blob(), name };
}

/** What is wrong with a file is no error of the page, which a browser would log. */
const PREFER = { Prefer: FAILURE_IN_BODY };

export type VideoStream = {
  readonly codec: string | undefined;
  readonly frames: number | undefined;
  readonly frameTimeMs: number | undefined;
};

/** What the stream of a video says of itself. Refused if no browser plays it. */
export async function fetchVideoStream(fileIndex: number, signal: AbortSignal): Promise<VideoStream> {
  // The first byte only: a HEAD request would not say why it is refused.
  const { headers } = await send(`api/file/${fileIndex}/video`, { signal, headers: { ...PREFER, Range: 'bytes=0-0' } });
  const number = (name: string) => Number(headers.get(name) ?? 0) || undefined;
  return {
    codec: headers.get(HEADER.videoCodec) ?? undefined,
    frames: number(HEADER.videoFrames),
    frameTimeMs: number(HEADER.videoFrameTime),
  };
}

/** The text of a CDA document. */
export function fetchNarrative(fileIndex: number, signal: AbortSignal): Promise<NarrativeResponse> {
  return fetchJson(`api/file/${fileIndex}/narrative`, { signal, headers: PREFER });
}

/** Where a picture or PDF is that a CDA document holds. */
export function narrativeMediumPath(fileIndex: number, medium: number): `api/${string}` {
  return `api/file/${fileIndex}/narrative/medium/${medium}`;
}

export async function fetchNarrativePicture(fileIndex: number, medium: number, signal: AbortSignal): Promise<Blob> {
  return (await send(narrativeMediumPath(fileIndex, medium), { signal, headers: PREFER })).blob();
}

export type MeshData = { readonly points: Float32Array; readonly indices: Uint32Array };

export async function fetchMesh(fileIndex: number, signal: AbortSignal): Promise<MeshData> {
  const response = await send(`api/file/${fileIndex}/mesh`, { signal, headers: PREFER });
  const values = 3 * Number(response.headers.get(HEADER.meshPoints));
  const bytes = await response.arrayBuffer();
  return { points: new Float32Array(bytes, 0, values), indices: new Uint32Array(bytes, values * 4) };
}
