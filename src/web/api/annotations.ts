import { NO_ROIS } from '../../shared/annotations.ts';
import type { AnnotatedFilesResponse, AnnotationPayload } from '../../shared/contract/annotations.ts';
import { HEADER } from '../../shared/contract/headers.ts';
import { send } from './send.ts';

/** All ROIs of one file as the server holds them. */
export type StoredRois = {
  readonly payload: AnnotationPayload;
  readonly etag: string;
  /** Which run of the server said so: in another run the same index may be another file. */
  readonly instance: string;
};

export async function fetchAnnotations(fileIndex: number, signal: AbortSignal): Promise<StoredRois> {
  return readStored(await send(`api/file/${fileIndex}/annotations`, { signal, priority: 'low' }));
}

/** Which files must be asked for their ROIs, and what is known of all the others. */
export type RoiOverview = { readonly touched: ReadonlySet<number>; readonly untouched: StoredRois };

export async function fetchRoiOverview(signal: AbortSignal): Promise<RoiOverview> {
  const response = await send('api/annotations', { signal, priority: 'low' });
  const { files, untouched_etag: etag }: AnnotatedFilesResponse = await response.json();
  const touched = new Set(files.map(({ index }) => index));
  return { touched, untouched: { payload: NO_ROIS, etag, instance: instanceOf(response) } };
}

/** Refused as `stale_annotation` when the server's ROIs are no longer those of `etag`. */
export async function replaceAnnotations(
  fileIndex: number,
  payload: AnnotationPayload,
  { etag, signal }: { readonly etag: string | undefined; readonly signal: AbortSignal },
): Promise<StoredRois> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (etag !== undefined) headers.set('If-Match', etag);
  const body = JSON.stringify(payload);
  return readStored(await send(`api/file/${fileIndex}/annotations`, { method: 'PUT', headers, body, signal }));
}

/** The CSV of all files' ROIs. After a failed import only that of the edits can be had. */
export async function fetchAnnotationCsv({ editsOnly }: { readonly editsOnly: boolean }): Promise<Blob> {
  const response = await send(`api/annotations/export.csv${editsOnly ? '?edits_only=true' : ''}`);
  return response.blob();
}

async function readStored(response: Response): Promise<StoredRois> {
  const payload: AnnotationPayload = await response.json();
  const etag = response.headers.get('ETag');
  if (etag === null) throw new Error('the server sent no ETag for the ROIs');
  return { payload, etag, instance: instanceOf(response) };
}

function instanceOf({ headers }: Response): string {
  return headers.get(HEADER.serverInstance) ?? '';
}
